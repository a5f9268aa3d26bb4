// A study (stcsim.study/2) cut into what is compared: a machine, a network and a pass.

/** How often a row counts in a step: repeats of the layer, and once in `every` steps. */
export const weight = (row) => row.repeat / (row.every || 1);
/** What a row takes of a step, and of the dense one, in µs. */
export const timeOf = (row) => row.time_us * weight(row);
export const denseTimeOf = (row) => row.dense_time_us * weight(row);

export const isGemm = (row) => row.kind === 'gemm';
const passOf = (row) => (row.phase === 'inference' ? 'inference' : 'training');
const keyOf = (machine, network, pass) => JSON.stringify([machine, network, pass]);

/** n/m of a pattern such as "2:4" or "4:8 pairs"; 1 of "dense". */
export function density(pattern) {
  const match = /^(\d+):(\d+)/.exec(pattern);
  return match ? Number(match[1]) / Number(match[2]) : 1;
}

/** Groups in the study's order: {key, machine, network, pass, totals, rows, schemes}. */
export function groupsOf(study) {
  const groups = new Map();
  for (const total of study.totals) {
    const key = keyOf(total.machine, total.network, total.pass);
    if (!groups.has(key)) {
      groups.set(key, {key, machine: total.machine, network: total.network, pass: total.pass,
                       totals: [], rows: [], study});
    }
    groups.get(key).totals.push(total);
  }
  for (const row of study.results) {
    groups.get(keyOf(row.machine, row.network, passOf(row)))?.rows.push(row);
  }
  for (const group of groups.values()) group.schemes = group.totals.map((total) => total.scheme);
  return [...groups.values()];
}

/** What is shown of a group: "bert_large_s128 on a100", and the pass where it is not training. */
export const titleOf = (group) =>
  `${group.network} on ${group.machine}${group.pass === 'training' ? '' : `, ${group.pass}`}`;

export const rowsOf = (group, scheme) => group.rows.filter((row) => row.scheme === scheme);
export const totalOf = (group, scheme) => group.totals.find((total) => total.scheme === scheme);
export const isFailed = (total) => total['step.failed'] > 0 || total.complete === false;
export function stepWord(group) {
  if (group.pass !== 'training') return 'pass';
  return group.totals[0].products_only ? 'sum of products' : 'step';
}

/** Whether a scheme is sparse for a share of a training only: its training and its step gain differently. */
export const hasDenseSteps = (total) => total.share_of_training < 1;

/** What a training gains with the best of all kernels, which machines without libraries choose from; undefined of those. */
export const withBestKernels = (total) => (total.beside ?? []).find(({stack}) => stack === 'best')?.speedup;

/** Whether machines with libraries stand beside some without: then they are compared under the best of all kernels. */
export function hasMachinesWithoutLibraries(study) {
  const known = study.totals.map((total) => withBestKernels(total) !== undefined);
  return known.includes(true) && known.includes(false);
}

/** Schemes other than dense whose step is known, that with which a training gains most first. */
export function ranking(group) {
  return group.totals
    .filter((total) => total.scheme !== 'dense' && !isFailed(total))
    .sort((a, b) => b.speedup - a.speedup);
}

/** The dense step in µs, which every total knows. */
export const denseTime = (group) => (group.totals.find((total) => !isFailed(total)) ?? group.totals[0])['step.dense_time_us'];

const last = ['optimizer', 'pruning'];
/** Names of kinds of work beside the GEMMs that any scheme of the group has, largest first; the optimizer and pruning last. */
export function kindsOf(group) {
  const largest = new Map();
  for (const total of group.totals) {
    for (const [key, value] of Object.entries(total)) {
      const kind = /^kinds\.(.*)\.time_us$/.exec(key)?.[1];
      if (kind && value > 0) largest.set(kind, Math.max(value, largest.get(kind) ?? 0));
    }
  }
  return [...largest].sort((a, b) => b[1] - a[1]).map(([kind]) => kind)
    .sort((a, b) => last.indexOf(a) - last.indexOf(b));
}

/** Parts of a step in µs, in the order they are drawn: [{name, kind: 'gemm'|'other'|'work', us}]. */
export function partsOf(group, total, kinds = kindsOf(group)) {
  const gemms = group.pass === 'training'
    ? ['forward', 'dgrad', 'wgrad'].map((name) => ({name, kind: 'gemm', us: total[`${name}.time_us`]}))
    : [{name: 'GEMMs', kind: 'gemm', us: total['gemms.time_us']}];
  const others = kinds.map((name) =>
    ({name, kind: name === 'pruning' ? 'work' : 'other', us: total[`kinds.${name}.time_us`] ?? 0}));
  return [...gemms, ...others];
}
