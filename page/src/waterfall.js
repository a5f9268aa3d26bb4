// From the factor that a multiplication gains to what is left of a step, each loss named.
//
// Levels are quotients of sums: dense time / time, over more and more of the step. Between two
// levels stand the losses that lead from one to the next; each takes the quotient so far and adds
// one thing to the sums.

import {denseTimeOf, density, isGemm, timeOf} from './study.js';

const add = (sums, dense, time) => ({dense: sums.dense + dense, time: sums.time + time});
const ratio = (sums) => (sums.time > 0 ? sums.dense / sums.time : 1);

function groupSums(rows, nameOf, denseOf, ownOf) {
  const groups = new Map();
  for (const row of rows) {
    const name = nameOf(row);
    groups.set(name, add(groups.get(name) ?? {dense: 0, time: 0}, denseOf(row), ownOf(row)));
  }
  return [...groups].map(([name, sums]) => ({name, ...sums}));
}

/** The largest `most` by time, the others as one. */
function largest(groups, most, restName) {
  const sorted = groups.filter((one) => one.time !== 0 || one.dense !== 0)
    .sort((a, b) => b.time - a.time);
  if (sorted.length <= most) return sorted;
  const rest = sorted.slice(most - 1).reduce((sums, one) => add(sums, one.dense, one.time),
    {dense: 0, time: 0});
  return [...sorted.slice(0, most - 1), {name: restName, ...rest}];
}

/** A kernel into which the scheme's own work is fused: that part of it is pruning. */
const ownPart = (row) => (row.scheme_work ? timeOf(row)
  : row.fused_work ? timeOf(row) - denseTimeOf(row) : 0);

const denseReason = (row) => (row.pattern === 'dense' ? `${row.phase} stays dense`
  : `${row.phase}: ${row.pattern} has to run dense`);

/**
 * @param rows results of one scheme, machine, network and pass
 * @param share part of the training steps in which the scheme is sparse
 * @returns null if nothing ran sparse, else [{kind: 'level'|'loss', name, from, to, about}], `about`
 *   saying what a level is a quotient of: multiplication, sparse, gemms, free, step, training
 */
export function waterfall(rows, share = 1) {
  const gemms = rows.filter(isGemm);
  const sparse = gemms.filter((row) => row.ran_sparse);
  if (sparse.length === 0) return null;
  const steps = [];
  let sums = sparse.reduce((so_far, row) =>
    add(so_far, denseTimeOf(row), denseTimeOf(row) * density(row.hardware_pattern)),
  {dense: 0, time: 0});
  const level = (name, about) => steps.push({kind: 'level', name, about, from: 1, to: ratio(sums)});
  const lose = (name, dense, time) => {
    const before = ratio(sums);
    sums = add(sums, dense, time);
    steps.push({kind: 'loss', name, from: before, to: ratio(sums)});
  };

  level('a multiplication', 'multiplication');
  const waits = groupSums(sparse, (row) => row.bound_by, () => 0,
    (row) => timeOf(row) - denseTimeOf(row) * density(row.hardware_pattern));
  for (const one of largest(waits, 6, 'other limits')) lose(one.name, 0, one.time);
  level('the GEMMs that run sparse', 'sparse');
  const dense = groupSums(gemms.filter((row) => !row.ran_sparse), denseReason, denseTimeOf, timeOf);
  for (const one of largest(dense, 5, 'other GEMMs that stay dense')) lose(one.name, one.dense, one.time);
  level('all GEMMs', 'gemms');
  const others = rows.filter((row) => !isGemm(row));
  const kinds = groupSums(others.filter((row) => !row.scheme_work), (row) => row.kind, denseTimeOf,
    (row) => timeOf(row) - ownPart(row));
  for (const one of largest(kinds, 5, 'other kernels')) lose(one.name, one.dense, one.time);
  level('a step, were pruning not charged', 'free');
  const own = others.reduce((sum, row) => sum + ownPart(row), 0);
  if (own !== 0) lose("the scheme's own pruning", 0, own);
  level('a step', 'step');
  if (share < 1) {
    lose('steps of training that are dense', 0, (1 - share) * (sums.dense - sums.time));
    level('all steps of a training', 'training');
  }
  return steps;
}
