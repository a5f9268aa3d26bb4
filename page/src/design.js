// What the page of a design says: arithmetic on stcsim.design/1.

import {digits3, factor, wholePercent, words} from './format.js';

/** What a resource is called: as its zip is, as the terminal calls it, or a number of a machine with the unit that it is of. */
export function resourceName(row) {
  if (row.title) return row.title;
  const key = Object.keys(row).find((one) => one.startsWith('values.') && one.endsWith(`.${row.name}`));
  return key ? words(key.split('.').slice(-2).join(': ')) : row.name;
}
const namesOf = (design) => new Map(design.resources.map((one) => [one.name, resourceName(one)]));

const goalText = ({kind, at_least: least, share_of_ideal: share, budgets}) => {
  const within = Object.entries(budgets).map(([name, most]) => `${words(name)} at most ${digits3(most)}`).join(', ');
  if (kind === 'fastest') return `the fastest machine with ${within}`;
  return `${factor(least)}${share ? ` (${wholePercent(share)} of what the pattern allows)` : ''}${within && `, ${within}`}`;
};

/** The speedup that was asked for: over dense on the same machine, or on the one to begin with. */
export const speedupOf = (design, machine) => (design.question.against === 'same' ? machine.speedup : machine.speedup_over_base);

export function designAnswer(design) {
  const {answer, base} = design;
  const got = `${factor(speedupOf(design, answer))} for ${digits3(answer.area_ratio)} of the area`;
  const against = design.question.against === 'same' ? 'dense on the same machine' : 'dense on the first machine';
  const energy = answer.joules > 0 && base.joules > 0 ? `; ${digits3(answer.joules / base.joules)} of the energy, ${Math.round(answer.watts)} W` : '';
  const reached = design.is_reached || design.question.kind === 'fastest';
  return {
    headline: reached ? `${design.space}: ${got}` : `${design.space}: ${goalText(design.question)} cannot be reached; nearest is ${got}`,
    details: `Asked for: ${goalText(design.question)}. The first machine has ${factor(speedupOf(design, base))}, the largest ` +
      `${factor(speedupOf(design, design.largest))} for ${digits3(design.largest.area_ratio)} of the area; speedups are over ${against}${energy}. ` +
      `${design.machines_simulated} of ${design.machines} machines were simulated.`,
  };
}

/** The first machine, and each step of the way up: [{grows: [names], area, speedup}]. */
export function stairs(design) {
  const names = namesOf(design);
  const at = (machine, grows) => ({grows, area: machine.area_ratio, speedup: speedupOf(design, machine)});
  return [at(design.base, []), ...design.way.map((step) => at(step, (step.grows ?? []).map((name) => names.get(name) ?? name)))];
}

/** What the answer has more of than the first machine, most grown first: [{name, factor, area}]. */
export const grown = (design) => design.resources.filter((one) => one.level > 0)
  .map((one) => ({name: resourceName(one), factor: one.factor, area: one.area_alone}))
  .sort((a, b) => (b.factor ?? Infinity) - (a.factor ?? Infinity));
