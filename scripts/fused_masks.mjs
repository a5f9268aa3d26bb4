// fused_masks.mjs FASTER FREE ALWAYS ATTENTION: tables of results/fused_masks.md, of what `stcsim run fused_masks --format json`
// wrote: as it is, with scheme_work=false, and with sparse_where=always; and of `stcsim sweep export dfss --format json`.
import { readFileSync } from 'node:fs';

const [{ totals: faster }, { totals: free }, { totals: always }, { rows: attention }] = process.argv
  .slice(2)
  .map((name) => JSON.parse(readFileSync(name, 'utf8')));
const key = ({ machine, network, scheme }) => [machine, network, scheme].join('\n');
const byKey = (totals) => new Map(totals.map((total) => [key(total), total]));
const [ofFree, ofFused, ofAlways] = [free, faster, always].map(byKey);
const kWorthIt = 0.005;

const rows = [];
for (const apart of faster.filter(({ scheme }) => !scheme.endsWith(' fused'))) {
  const fusedKey = key({ ...apart, scheme: `${apart.scheme} fused` });
  const cost = ofAlways.get(key(apart)).scheme_work.time_us;
  if (cost === 0) continue; // it prunes nothing of this network
  rows.push({
    ...apart,
    gains: [apart, ofFused.get(fusedKey), ofFree.get(key(apart))].map(({ step }) => step.speedup - 1),
    cost: cost / ofAlways.get(key(apart)).step.dense_time_us,
    removed: 1 - ofAlways.get(fusedKey).scheme_work.time_us / cost,
  });
}

const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const signed = (share) => (share < 0 ? '' : '+') + percent(share);
const worth = [0, 1, 2].map((at) => rows.filter(({ gains }) => gains[at] >= kWorthIt).length);
const removed = rows.map((row) => row.removed).sort((a, b) => a - b);
console.log(
  `Fusing removes ${percent(removed[0], 0)} to ${percent(removed.at(-1), 0)} of what pruning costs. Of ${rows.length} steps ` +
    `${worth[0]} are at least\n${percent(kWorthIt)} faster than dense with pruning apart, ${worth[1]} with it fused, and ` +
    `${worth[2]} if pruning were free.\n`,
);
console.log('| machine | network | scheme | pruning apart | fused | free | cost of pruning | removed |');
console.log('|---|---|---|--:|--:|--:|--:|--:|');
for (const { machine, network, scheme, gains, cost, removed: part } of rows) {
  console.log(`| ${[machine, network, scheme, ...gains.map(signed), percent(cost), percent(part, 0)].join(' | ')} |`);
}

const columns = [...new Set(attention.map(({ framework }) => framework))];
console.log(`
## Attention with pruned scores

\`stcsim sweep run dfss\`, then \`stcsim sweep export dfss\`: the epilogue of the scores' product prunes them to 2:4 (\`dfss\`), forward in
bf16. Speedups are over attention whose scores are in memory (\`attention_in_memory\`), which Chen et al. publish as 1.27 to 1.89 on an
A100, and over FlashAttention-2 (\`pytorch_2_packed_scores\`), which has no scores in memory to save. \`a100_nm\` is hypothetical.

| machine | network | ${columns.join(' | ')} |
|---|---|${'--:|'.repeat(columns.length)}`);
for (const { machine, network } of attention.filter(({ framework }) => framework === columns[0])) {
  const gains = attention
    .filter((row) => row.machine === machine && row.network === network)
    .map(({ speedup }) => `${speedup.toFixed(2)}x`);
  console.log(`| ${[machine, network, ...gains].join(' | ')} |`);
}
