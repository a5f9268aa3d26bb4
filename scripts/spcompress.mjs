// spcompress.mjs ATTENTION: tables of results/spcompress.md, of what `stcsim sweep export spcompress --format json` wrote.
import { readFileSync } from 'node:fs';

const { rows: all } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const kUnit = 'machine.accelerator.sm.epilogue.compress_elements_per_clk';
const kWarps = 'machine.accelerator.sm.epilogue.elements_per_clk';
const kFlash = 'pytorch_2_packed_scores';
const kMemory = 'attention_in_memory';
const kAssumed = 128;
const kPeakTflops = { a100: 312, b200: 2383, rubin: 4375 };
const ratio = (value) => `${value.toFixed(2)}x`;
const percent = (share) => `${(100 * share).toFixed(0)} %`;
const range = (values) => `${ratio(Math.min(...values))} to ${ratio(Math.max(...values))}`;
const table = (head, lines) => {
  console.log(`| ${head.join(' | ')} |\n|${head.map((_, at) => (at < 2 ? '---|' : '--:|')).join('')}`);
  for (const line of lines) console.log(`| ${line.join(' | ')} |`);
};
const distinct = (key) => [...new Set(all.map((row) => row[key]))];
const [machines, networks, rates, [own, twice]] = ['machine', 'network', kUnit, kWarps].map(distinct);
const rows = all.filter((row) => row[kWarps] === own);
const speedups = (machine, framework, rate, among = rows) =>
  among.filter((row) => row.machine === machine && row.framework === framework && row[kUnit] === rate).map(({ speedup }) => speedup);
const tokens = (network) => Number(network.split('_')[1]);

// Two products of heads of 64: 8 heads of so many sequences that tokens are 12288 or 16384.
const flops = (network) => 2 * 2 * tokens(network) ** 2 * 64 * 8 * Math.min(32, 16384 / tokens(network));
const share = ({ machine, network }, microseconds) => flops(network) / microseconds / 1e6 / kPeakTflops[machine];
const flash = rows.filter((row) => row.framework === kFlash && row[kUnit] === rates[0]);
const wins = all.filter((row) => row.framework === kFlash && row.speedup > 1);
const losses = rows.filter((row) => row.framework === kMemory && row.machine === 'rubin' && row.speedup < 1);
const shares = (machine) => flash.filter((row) => row.machine === machine).map((row) => share(row, row.dense_time_us));
const between = (values) => `${percent(Math.min(...values))} to ${percent(Math.max(...values))}`;
const breakEven = Math.max(...wins.map((row) => share(row, row.time_us)));

const rubin = (framework, rate) => range(speedups('rubin', framework, rate));
console.log(`**Result.** On Rubin attention with pruned scores is ${rubin(kMemory, kAssumed)} as fast as with scores in memory if the unit
prunes, and ${rubin(kMemory, 0)} if vector lanes do. With half and double the unit's rate it is ${rubin(kMemory, kAssumed / 2)} and
${rubin(kMemory, 2 * kAssumed)}: warps behind the unit move 46 elements in a clk, and set the pace.

**Does the ranking change?** Against scores in memory it does: with vector lanes pruned scores are slower on Rubin at
${losses.map(({ network }) => tokens(network)).join(' and ')} tokens, with the unit at no length. Against FlashAttention it hardly does. Pruned scores that go through memory are
faster than FlashAttention-2 in ${wins.length} of ${all.length / 2} points, all of \`${[...new Set(wins.map(({ machine }) => machine))].join(' and ')}\` with a unit and ${[...new Set(wins.map(({ network }) => tokens(network)))].join(' or ')} tokens: at most ${ratio(Math.max(...wins.map((row) => row.speedup)))}, which is
within the model's error. And FlashAttention-2 is not written for tensor memory: it reaches ${between(shares('a100'))} of an A100's peak,
${between(shares('b200'))} of a B200's, ${between(shares('rubin'))} of Rubin's. A kernel that reaches more than ${percent(breakEven)} of Rubin's wins everywhere. The unit
pays in a kernel that keeps scores on chip, which no framework here has: see the bound below.

## Attention through memory

Forward in bf16, heads of 64, 384 to 4096 tokens. Speedups are over attention with scores in memory (*memory*: \`attention_in_memory\`) and over
FlashAttention-2 (*flash*: \`pytorch_2_packed_scores\`). *Lanes*: vector lanes prune. Numbers are elements in a clk and SM that a unit prunes;
\`a100\` with 64 is \`a100_spc\`. At 2048 tokens PyTorch's softmax of dense rows goes over them three times and that of packed ones (1024
long) once: much of the gain there is not the unit's. The library's rule takes another,
slower tile at 512 on an A100 with a unit.
`);
const results = (machine, among, name = machine) =>
  networks.map((network, at) => [
    name,
    tokens(network),
    ...[kMemory, kFlash].flatMap((framework) => rates.map((rate) => ratio(speedups(machine, framework, rate, among)[at]))),
  ]);
const head = ['machine', 'tokens', ...['memory', 'flash'].flatMap((over) => rates.map((rate) => `${over}, ${rate || 'lanes'}`))];
table(head, machines.flatMap((machine) => results(machine, rows)));
console.log(`
The same with warps that move ${twice} elements in a clk, in both products of both sides. ${own} are the A100's and the H100's, of Rubin an assumption:
`);
table(head, results('rubin', all.filter((row) => row[kWarps] === twice)));

// Of an SM and clk: multiply-accumulates of each type, exponentials.
const kMacs = { bf16: 4096, fp8: 16384, nvfp4: 32768 };
const kExponentials = 32;
const bound = (macs, head, sparse, overlapped) => {
  const kept = sparse ? 0.5 : 1;
  const parts = [(head * (1 + kept)) / macs, kept / kExponentials];
  return overlapped ? Math.max(...parts) : parts[0] + parts[1];
};
const gain = (macs, head, overlapped) => ratio(bound(macs, head, false, overlapped) / bound(macs, head, true, overlapped));
console.log(`
## A bound for scores that stay on chip

Arithmetic, no simulation: a score takes two products of a head's length and an exponential, at rubin.yaml's rates. Pruned to 2:4, the
second product and the exponentials are half. The unit itself is free here, and so is everything else: gains are no more than this.
*Overlapped*: the longer of products and exponentials counts; *in turn*: their sum.
`);
table(
  ['type', 'heads of', 'overlapped', 'in turn', 'overlapped, bound by'],
  Object.entries(kMacs).flatMap(([type, macs]) =>
    [64, 128].map((head) => [
      type,
      head,
      gain(macs, head, true),
      gain(macs, head, false),
      (2 * head) / macs >= 1 / kExponentials ? 'products' : 'exponentials',
    ]),
  ),
);
console.log(`
Products alone gain 1.33x, for Q Kᵀ stays dense; 50 / 35 is 1.43x. Where exponentials limit attention, as with operands of 8 and 4 bits, it
gains more: 2:4 halves them. So the published 50 PFLOPS would not be what attention gains: softmax's half counts for as much.`);
