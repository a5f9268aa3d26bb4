// Where the cycles of each unit went.

/** Shares of the buckets of each unit, in thousandths: [{unit, buckets: [{name, share}]}]. */
export function waitsOf(row) {
  const units = new Map();
  for (const [key, value] of Object.entries(row)) {
    const match = /^waits\.([^.]+)\.(.+)$/.exec(key);
    if (!match || value === null) continue;
    if (!units.has(match[1])) units.set(match[1], []);
    if (value > 0) units.get(match[1]).push({name: match[2], share: value / 1000});
  }
  return [...units].map(([unit, buckets]) => ({unit, buckets: buckets.sort((a, b) => b.share - a.share)}));
}

const idleNames = new Set(['idle', 'starved', 'blocked']);
/** What a bucket is of a unit's time: busy, waits, idle. */
export const bucketClass = (name) => (name === 'busy' || ['fill', 'fetch', 'staging', 'issuing', 'setup'].includes(name) ? 'busy'
  : idleNames.has(name) ? 'idle' : 'waits');

export const barOrder = ['busy', 'waits', 'idle'];
export const inBarOrder = (buckets) =>
  [...buckets].sort((a, b) => barOrder.indexOf(bucketClass(a.name)) - barOrder.indexOf(bucketClass(b.name)));
