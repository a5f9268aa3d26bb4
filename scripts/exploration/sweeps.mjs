// What is read from `stcsim sweep export --format json`: points of the exploration, by what they are.

import {readFileSync} from 'node:fs';

const sm = 'machine.accelerator.sm.';
/** Axes of the exploration's spaces that stand for a resource, and how a table calls them. */
export const resources = [
  {axis: `${sm}operand_selector.b_bytes_per_clk`, name: 'selector'},
  {axis: `${sm}shared_memory.bank_bytes`, name: 'shared memory'},
  {axis: 'machine.accelerator.memory_bus.sm_read_bytes_per_clk', name: 'bus'},
  {axis: 'machine.accelerator.l2_cache.read_bytes_per_clk', name: 'L2'},
  {axis: 'machine.accelerator.dram.bytes_per_clk', name: 'DRAM'},
];
export const patterns = ['1:8', '2:8', '4:8', '4:16', '4:32'];

/** m/n: what a pattern skips at best. */
export const limitOf = (pattern) => {
  const [n, m] = pattern.split(':').map(Number);
  return m / n;
};

export const geometricMean = (values) => Math.exp(values.reduce((sum, one) => sum + Math.log(one), 0) / values.length);

/** Rows of a sweep that is complete. */
export function readSweep(file) {
  const sweep = JSON.parse(readFileSync(file, 'utf8'));
  if (sweep.missing > 0 || sweep.failures.length > 0) {
    throw new Error(`${file}: ${sweep.missing} points are missing, ${sweep.failures.length} failed`);
  }
  return sweep.rows;
}

/** How many times as much of each resource a row's machine has as the least of the rows: row => {selector: 2, ...}. */
export function growth(rows) {
  const known = resources.filter(({axis}) => rows[0][axis] !== undefined)
    .map((one) => ({...one, least: rows.reduce((least, row) => Math.min(least, row[one.axis]), Infinity)}));
  return (row) => Object.fromEntries(known.map(({axis, name, least}) => [name, row[axis] / least]));
}

/** "selector ×4, L2 ×2": what has grown; "nothing" if nothing has. */
export function grownText(factors) {
  const grown = Object.entries(factors).filter(([, factor]) => factor > 1).map(([name, factor]) => `${name} ×${factor}`);
  return grown.length > 0 ? grown.join(', ') : 'nothing';
}

/** Groups rows by a key, in order of their first. */
export function groupBy(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  return groups;
}
