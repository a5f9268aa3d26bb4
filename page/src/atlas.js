// Arithmetic on an atlas (stcsim.atlas/1): every network under every scheme on every machine.

/** What of a cell is shown. */
export const measures = [
  {value: 'speedup', label: 'default software, pruning charged'},
  {value: 'free', label: 'default software, pruning not charged'},
  {value: 'best', label: 'best of all kernels, pruning charged'},
];

/** The cell that gains most of those that the machine has the memory for, of all where it has none; nothing of none. */
export function fastestOf(cells, measure) {
  const fitting = cells.filter((one) => one.fits);
  return (fitting.length > 0 ? fitting : cells).reduce((fastest, one) => (fastest && fastest[measure] >= one[measure] ? fastest : one), null);
}

/** Whether most of a cell's gain is the optimizer's, which has fewer weights to update: no product is faster by it. */
export const isOptimizers = (cell) => cell.speedup > 1 && cell.optimizer > 0.5;

/** The steps of a waterfall from a cell's fall, as falls() takes them. */
export function stepsOf({fall}, names) {
  const steps = [];
  let before = 1;
  for (let i = 0; i < fall.length; i += 2) {
    const [kind, ...name] = names[fall[i]].split(':');
    steps.push({kind, name: name.join(':'), from: kind === 'level' ? 1 : before, to: fall[i + 1]});
    before = fall[i + 1];
  }
  return steps;
}

/** The command that makes a cell's figures. */
export const commandOf = ({network, machine, scheme, framework}, own) =>
  `stcsim run --network ${network} --arch ${machine} --schemes ${scheme}${framework === own ? '' : ` --framework ${framework}`}`;

const least = 1.005;  // what prints as 1.01, and as 1.00 below: verdict() of sim/run/likely_interval.hpp
const most = 0.9995;

/** How many of them are worth it, how many cost time, of how many that cannot be said, and how many nobody can run. */
export function tally(all) {
  const cells = all.filter((one) => one.fits);
  const known = cells.filter((one) => one.low > 0 && one.high > 0);
  const faster = known.filter((one) => one.low > least).length;
  const slower = known.filter((one) => one.high < most).length;
  return {faster, slower, open: cells.length - faster - slower, misfits: all.length - cells.length, all: all.length};
}
