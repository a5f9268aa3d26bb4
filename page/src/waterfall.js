// From the factor that a multiplication gains to what is left of a step, each loss named.
//
// Levels are quotients of sums: dense cycles / cycles, over more and more of the step. Between two
// levels stand the losses that lead from one to the next; each takes the quotient so far and adds
// one thing to the sums.

import {cyclesOf, denseCyclesOf, density, isGemm} from './study.js';

const add = (sums, dense, cycles) => ({dense: sums.dense + dense, cycles: sums.cycles + cycles});
const ratio = (sums) => (sums.cycles > 0 ? sums.dense / sums.cycles : 1);

function groupSums(rows, nameOf, denseOf, cyclesOfRow) {
  const groups = new Map();
  for (const row of rows) {
    const name = nameOf(row);
    groups.set(name, add(groups.get(name) ?? {dense: 0, cycles: 0}, denseOf(row), cyclesOfRow(row)));
  }
  return [...groups].map(([name, sums]) => ({name, ...sums}));
}

/** The largest `most` by cycles, the others as one. */
function largest(groups, most, restName) {
  const sorted = groups.filter((one) => one.cycles !== 0 || one.dense !== 0)
    .sort((a, b) => b.cycles - a.cycles);
  if (sorted.length <= most) return sorted;
  const rest = sorted.slice(most - 1).reduce((sums, one) => add(sums, one.dense, one.cycles),
    {dense: 0, cycles: 0});
  return [...sorted.slice(0, most - 1), {name: restName, ...rest}];
}

/** A kernel into which the scheme's own work is fused: that part of it is pruning. */
const ownPart = (row) => (row.scheme_work ? cyclesOf(row)
  : row.fused_work ? cyclesOf(row) - denseCyclesOf(row) : 0);

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
    add(so_far, denseCyclesOf(row), denseCyclesOf(row) * density(row.hardware_pattern)),
  {dense: 0, cycles: 0});
  const level = (name, about) => steps.push({kind: 'level', name, about, from: 1, to: ratio(sums)});
  const lose = (name, dense, cycles) => {
    const before = ratio(sums);
    sums = add(sums, dense, cycles);
    steps.push({kind: 'loss', name, from: before, to: ratio(sums)});
  };

  level('a multiplication', 'multiplication');
  const waits = groupSums(sparse, (row) => row.bound_by, () => 0,
    (row) => cyclesOf(row) - denseCyclesOf(row) * density(row.hardware_pattern));
  for (const one of largest(waits, 6, 'other limits')) lose(one.name, 0, one.cycles);
  level('the GEMMs that run sparse', 'sparse');
  const dense = groupSums(gemms.filter((row) => !row.ran_sparse), denseReason, denseCyclesOf, cyclesOf);
  for (const one of largest(dense, 5, 'other GEMMs that stay dense')) lose(one.name, one.dense, one.cycles);
  level('all GEMMs', 'gemms');
  const others = rows.filter((row) => !isGemm(row));
  const kinds = groupSums(others.filter((row) => !row.scheme_work), (row) => row.kind, denseCyclesOf,
    (row) => cyclesOf(row) - ownPart(row));
  for (const one of largest(kinds, 5, 'other kernels')) lose(one.name, one.dense, one.cycles);
  level('a step, were pruning free', 'free');
  const own = others.reduce((sum, row) => sum + ownPart(row), 0);
  if (own !== 0) lose("the scheme's own pruning", 0, own);
  level('a step', 'step');
  if (share < 1) {
    const mixed = {dense: sums.dense, cycles: share * sums.cycles + (1 - share) * sums.dense};
    lose('steps of training that are dense', 0, mixed.cycles - sums.cycles);
    level('all steps of training', 'training');
  }
  return steps;
}
