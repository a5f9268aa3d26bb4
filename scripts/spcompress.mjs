// spcompress.mjs NETWORKS NVFP4 LARGE ALWAYS BLACKWELL ATTENTION: results/spcompress.md, of what `stcsim run --format json` wrote of
// configs/experiments/on_the_fly.yaml and nvfp4_training.yaml, and `stcsim sweep export spcompress --format json`.
import { readFileSync } from 'node:fs';

const [networks, nvfp4, large, always, blackwell, { rows: attention }] = process.argv.slice(2).map((name) => JSON.parse(readFileSync(name, 'utf8')));
const kUnit = 'machine.accelerator.sm.epilogue.compress_elements_per_clk';
const [kMemory, kFlash, kOnChip] = ['attention_in_memory', 'pytorch_2_packed_scores', 'pytorch_2_pruned_on_chip'];
const kPasses = ['training', 'inference'];
const ratio = (value) => `${value.toFixed(2)}x`;
const percent = (share) => `${(100 * share).toFixed(0)} %`;
const range = (values, form = ratio) => {
  const [low, high] = [Math.min(...values), Math.max(...values)].map(form);
  return low === high ? low : `${low} to ${high}`;
};
/** The paragraph in lines of at most 120 characters. */
const wrapped = (text) =>
  text
    .split(/\s+/)
    .reduce((lines, word) => (lines.at(-1).length + word.length < 120 ? [...lines.slice(0, -1), `${lines.at(-1)} ${word}`.trim()] : [...lines, word]), [''])
    .join('\n');
const distinct = (rows, key) => [...new Set(rows.map((row) => row[key]))];
const table = (head, texts, lines) => {
  console.log(`| ${head.join(' | ')} |\n|${head.map((_, at) => (at < texts ? '---|' : '--:|')).join('')}`);
  for (const line of lines) console.log(`| ${line.join(' | ')} |`);
};

// A study's step, of a pass, over the dense one.
const gain = ({ totals }, machine, network, scheme, pass) =>
  totals.find((row) => row.machine === machine && row.network === network && row.scheme === scheme && row.pass === pass)?.step.speedup ?? 1;
const names = distinct(networks.totals, 'network');
const gains = (machine, scheme, pass) => names.map((network) => gain(networks, machine, network, scheme, pass));
const worth = (fast, slow, pass) => gains(fast, 'both', pass).map((value, at) => value / gains(slow, 'both', pass)[at]);

// Networks, the one that gains most first; pairs that another rate puts in another order, and by how much they differ then.
const ranking = (machine, pass) => {
  const of = gains(machine, 'both', pass);
  return names.map((name, at) => ({ name, gain: of[at] })).sort((one, other) => other.gain - one.gain);
};
const swapped = (machine, pass) => {
  const [before, after] = [gains('rubin', 'both', pass), gains(machine, 'both', pass)];
  const pairs = names.flatMap((one, i) => names.slice(i + 1).map((other, j) => [i, i + 1 + j]));
  return pairs.filter(([i, j]) => (before[i] - before[j]) * (after[i] - after[j]) < 0);
};
const apart = (pass) =>
  ['rubin_half', 'rubin_double'].flatMap((machine) =>
    swapped(machine, pass).map(([i, j]) => Math.abs(gains('rubin', 'both', pass)[i] - gains('rubin', 'both', pass)[j])),
  );
const stability = (pass) => {
  const [half, double] = ['rubin_half', 'rubin_double'].map((machine) => swapped(machine, pass).length);
  const pairs = (names.length * (names.length - 1)) / 2;
  if (half + double === 0) return `- In ${pass} none of ${pairs} pairs of networks changes its order.`;
  return `- In ${pass} ${half} of ${pairs} pairs of networks change their order at half the rate and ${double} at twice. Such pairs
  gain within ${Math.max(...apart(pass)).toFixed(3)} of each other.`;
};

// What the products are of a step in nvfp4, and what 2:4 adds to it.
const total = ({ totals }, network, scheme) => totals.find((row) => row.network === network && row.scheme === scheme);
const models = distinct(nvfp4.totals, 'network');
const added = (study, network, scheme) => {
  const [own, base] = [total(study, network, scheme), total(study, network, 'nvfp4')];
  return own && base ? own.step.speedup / base.step.speedup : 1;
};
const schemes = distinct(nvfp4.totals, 'scheme').filter((scheme) => scheme !== 'nvfp4');
const addedBy = (study) => models.flatMap((network) => schemes.map((scheme) => added(study, network, scheme)));
const likely = networks.totals.find((row) => row.machine === 'rubin' && row.network === ranking('rubin', 'training')[0].name && row.scheme === 'both' && row.pass === 'training');
const share = models.map((network) => total(nvfp4, network, 'nvfp4')).map(({ gemms, step }) => gemms.time_us / step.time_us);

const rowsOfProducts = nvfp4.results.filter(({ scheme, kind }) => scheme === 'nvfp4' && kind === 'gemm');
const timeOf = (rows) => rows.reduce((sum, row) => sum + (row.repeat * row.time_us) / row.every, 0);
const bounds = distinct(rowsOfProducts, 'bound_by')
  .map((by) => ({ by: by.replaceAll('_', ' '), share: timeOf(rowsOfProducts.filter((row) => row.bound_by === by)) / timeOf(rowsOfProducts) }))
  .sort((one, other) => other.share - one.share);
const most = bounds.slice(0, 3).map((one) => `${one.by} (${percent(one.share)})`);
const busy = bounds.find(({ by }) => by === 'tensor core')?.share ?? 0;

const speedups = (machine, framework, rate) =>
  attention.filter((row) => row.machine === machine && row.framework === framework && row[kUnit] === rate).map(({ speedup }) => speedup);
const tokens = (network) => Number(network.split('_')[1]);

console.log(`# If 50 PFLOPS come from 2:4 on the fly, what would training gain?

Made by \`make spcompress\`: \`stcsim run on_the_fly\`, \`stcsim run nvfp4_training\` and \`stcsim sweep run spcompress\`. NVIDIA states 50
PFLOPS of NVFP4 for Rubin, "with adaptive compression", beside 35 without. No time of Rubin is public: all of this is predicted.

${wrapped(`**In short.** If a unit prunes scores of attention and activations of the feed-forward part to 2:4 as they leave the multipliers, a training
step in bf16 is ${range(gains('rubin', 'both', 'training'))} as fast as the dense one, and an inference pass ${range(gains('rubin', 'both', 'inference'))}, over ten networks. The
largest of these, ${ratio(likely.step.speedup)} of ${likely.network}, is likely ${ratio(likely.step_interval.low)} to ${ratio(likely.step_interval.high)}: no gain in training is sure.
With vector lanes in the unit's place it is ${range(gains('rubin_lanes', 'both', 'training'))} and ${range(gains('rubin_lanes', 'both', 'inference'))}: the unit itself is worth ${range(worth('rubin', 'rubin_lanes', 'training'))} in training and
${range(worth('rubin', 'rubin_lanes', 'inference'))} in inference. In nvfp4, whose peak is said to rise by 1.43x, 2:4 makes a training step of two models with 8192 tokens
${range(addedBy(nvfp4))} as fast as the dense one in nvfp4, and ${range(addedBy(large))} with 65536 tokens. With 8192 products are ${range(share, percent)} of the step, and multipliers bound ${percent(busy)} of their time. Most of it is ${most.join(', ')}: these products are
short, ${ratio(timeOf(rowsOfProducts) / rowsOfProducts.reduce((sum, row) => sum + (row.repeat * row.gemm_count) / row.every, 0)).slice(0, -1)} us in the mean. Attention alone gains
${range(speedups('rubin', kOnChip, 128))} in a flash kernel that prunes by the unit, and ${range(speedups('rubin', kOnChip, 0))} in one that prunes by lanes. An A100 with a
unit of half that rate would have gained about as much: ${range(gains('a100_spc', 'both', 'training'))} in training, ${range(speedups('a100', kOnChip, 64))} in attention.`)}

| what | known from |
|---|---|
| 35 and 50 PFLOPS NVFP4, 17.5 fp8, 224 SMs, 22 TB/s, 288 GB, 576 columns of tensor memory, twice the special functions | published, second-hand: [rubin.yaml](../configs/arch/rubin.yaml) |
| \`tcgen05.ld.spcompress\` compresses to 2:4 what is loaded from tensor memory | PTX 9.4, second-hand |
| that the 50 PFLOPS are this, that training may use it, that it keeps the largest | our reading |
| 128 elements in a clk and SM for the unit; no limit of power; L2, latencies, 2 us between kernels | assumed; the unit's rate alone is varied here |
| a flash kernel that prunes scores on chip, epilogues that apply the activation function and prune | assumed: nobody has published one |
| what it costs in accuracy | not simulated; published: DFSS (Chen et al., 2023) of attention, Haziza et al. (2025) of activations with squared ReLU |

**Does the unit's rate matter?** Half and double the assumed rate give ${range(gains('rubin_half', 'both', 'training'))} and ${range(gains('rubin_double', 'both', 'training'))} in training. Which
network gains more hardly depends on it:

${kPasses.map(stability).join('\n')}

## Ten networks

Speedups of whole steps in bf16 over the dense ones, from a captured graph: scores, feed-forward, and both, on Rubin by the unit, then both with
the unit at half and double rate and by vector lanes; and both on an A100 by lanes and with a unit (\`a100_spc\`). Products of the feed-forward part
are sparse where that is faster. Scores are pruned in any case, so that lanes may lose by them.
`);
for (const pass of kPasses) {
  table(
    [pass, 'scores', 'feed-forward', 'both', 'half rate', 'double', 'lanes', 'A100, lanes', 'A100, unit'],
    1,
    ranking('rubin', pass).map(({ name }) => {
      const of = (machine, scheme = 'both') => ratio(gain(networks, machine, name, scheme, pass));
      return [name, of('rubin', 'scores'), of('rubin', 'feed-forward'), ...['rubin', 'rubin_half', 'rubin_double', 'rubin_lanes', 'a100', 'a100_spc'].map((one) => of(one))];
    }),
  );
  console.log('');
}
console.log(`Networks stand by column *both*. Intervals, which \`stcsim run on_the_fly\` prints, are wider than most gains.

## Training in nvfp4

Speedups of whole steps of 8192 tokens over the one in bf16, casts charged; then over the dense step in nvfp4, with products sparse where that is
faster, and with every product sparse that can be (*always*, on Rubin). *Weights* are pruned for forward, *activations* for the second product
of the feed-forward part, *gradients* for dgrad, each by magnitude where it is written. Pruning is charged: where it costs more than
it saves the step gets slower. Rubin keeps 2:4, Blackwell 4:8 in pairs. Gradients of 16 batches are added up before an update.
`);
table(
  ['machine', 'network', 'scheme', 'over bf16', 'added to nvfp4', 'always', 'products alone over bf16', 'their share of the step'],
  3,
  [
    [nvfp4, 'rubin', always],
    [blackwell, 'b200', null],
  ].flatMap(([study, machine, all]) =>
    models.flatMap((network) =>
      ['nvfp4', ...schemes].flatMap((scheme) => {
        const own = total(study, network, scheme);
        if (!own) return [];
        const extra = scheme === 'nvfp4' ? ['', ''] : [ratio(added(study, network, scheme)), all ? ratio(added(all, network, scheme)) : ''];
        return [[machine, network, scheme, ratio(own.step.speedup), ...extra, ratio(own.gemms.speedup), percent(own.gemms.time_us / own.step.time_us)]];
      }),
    ),
  ),
);
console.log(`
## Attention alone

Forward in bf16, heads of 64, ${range(distinct(attention, 'network').map(tokens), String)} tokens. Speedup of attention with pruned scores over dense attention:

- *memory*: scores go through memory in both, as publications compare,
- *flash*: pruned scores go through memory, dense ones stay on chip in FlashAttention-2,
- *on chip*: both stay on chip, in a flash kernel.

Numbers are elements in a clk and SM that a unit prunes.
`);
const rates = distinct(attention, kUnit);
table(
  ['machine', 'framework', ...rates.map((rate) => (rate === 0 ? 'lanes' : `unit, ${rate}`))],
  2,
  distinct(attention, 'machine').flatMap((machine) =>
    [
      ['memory', kMemory],
      ['flash', kFlash],
      ['on chip', kOnChip],
    ].map(([name, framework]) => [machine, name, ...rates.map((rate) => range(speedups(machine, framework, rate)))]),
  ),
);
console.log(`
FlashAttention-2 is not written for tensor memory, and reaches a small part of a B200's and Rubin's peak: exponentials and what else lanes do for
a score bound it, and 2:4 halves these. A kernel that is bound by products would gain 1.33x at most, for Q Kᵀ stays dense.

**What follows.** The unit helps where pruning would be done by lanes for every score. It does not make 50 of 35 PFLOPS in a step of training:
products in nvfp4 are short, so that launches, last waves and latencies fill their time, and what runs between them takes as long as before.`);
