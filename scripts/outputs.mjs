// outputs.mjs STEPS GEMMS: tables of results/outputs.md, of what `stcsim run outputs --format json` and `stcsim sweep export outputs
// --format json` wrote.
import { readFileSync } from 'node:fs';

const [{ totals }, { rows }] = process.argv.slice(2).map((name) => JSON.parse(readFileSync(name, 'utf8')));
const kWanted = ' outputs';
const ratio = (value) => `${value.toFixed(2)}x`;
const table = (head, lines) => {
  console.log(`| ${head.join(' | ')} |\n|${head.map((_, at) => (at < 2 ? '---|' : '--:|')).join('')}`);
  for (const line of lines) console.log(`| ${line.join(' | ')} |`);
};

const pairs = totals
  .filter(({ scheme }) => scheme.endsWith(kWanted))
  .map((wanted) => ({
    wanted,
    all: totals.find(({ network, scheme }) => network === wanted.network && `${scheme}${kWanted}` === wanted.scheme),
  }))
  .filter(({ wanted, all }) => all && wanted.sparse_gemms && wanted.sparse_share.gemms > 0);
const products = pairs.map(({ wanted }) => wanted.wgrad.speedup).sort((a, b) => a - b);
const more = pairs.map(({ wanted, all }) => wanted.speedup / all.speedup).sort((a, b) => a - b);
const percent = (gain) => `${(100 * (gain - 1)).toFixed(1)} %`;
console.log(
  `2:4 outputs make wgrad ${ratio(products[0])} to ${ratio(products.at(-1))} as fast, and a training step ${percent(more[0])} to ` +
    `${percent(more.at(-1))} faster\nthan the same scheme with all gradients.\n\n## Training steps\n\nSpeedups over the dense step and the dense product, fp16, every product that can runs sparse. ` +
    `*All* and *wanted* are the scheme's wgrad.\n`,
);
table(
  ['network', 'scheme', 'forward', 'dgrad', 'wgrad wanted', 'step, all', 'step, wanted', 'energy, all', 'energy, wanted'],
  pairs.map(({ wanted, all }) => [
    wanted.network,
    all.scheme,
    ...[wanted.forward, wanted.dgrad, wanted.wgrad, all, wanted].map(({ speedup }) => ratio(speedup)),
    ...[all, wanted].map(({ joules, dense_joules: dense }) => `${((100 * joules) / dense).toFixed(0)} %`),
  ]),
);

const kWidth = 'machine.accelerator.sm.operand_selector.b_bytes_per_clk';
const patterns = [...new Set(rows.map((row) => row.pattern))];
console.log(`
## Products, and what limits them

Gradients of BERT-Large's (8,192 tokens), GPT-2's (16,384), ResNet-50's (batch 256) and LLaMA-3 8B's (8,192) weights. Both operands are
read whole in m/n of the time: beyond 2:4 the ways of B (selector, registers, shared memory, fill, bus, L2) limit the gain, and where
few rows of C are left, DRAM. *Widths* are times those of the A100, for all of these ways, of the dense product as well.
`);
table(
  ['product', 'widths', ...patterns, 'limit of 2:4'],
  [...new Set(rows.map((row) => row.gemm))].flatMap((gemm) =>
    [...new Set(rows.map((row) => row[kWidth]))].map((width, at) => {
      const own = rows.filter((row) => row.gemm === gemm && row[kWidth] === width);
      const of = (pattern) => own.find((row) => row.pattern === pattern);
      return [gemm, `${2 ** at}x`, ...patterns.map((one) => ratio(of(one).speedup)), of('2:4 outputs').bound_by.replaceAll('_', ' ')];
    }),
  ),
);
