// What a document of stcsim.tta/1 says, without drawing it.

import {digits3, duration, factor} from './format.js';

/** Results of each machine: [{machine, dense, results}]. */
export function machinesOf(tta) {
  const machines = new Map();
  for (const result of tta.results) {
    if (!machines.has(result.machine)) machines.set(result.machine, []);
    machines.get(result.machine).push(result);
  }
  return [...machines].map(([machine, results]) =>
    ({machine, results, dense: results.find((one) => one.verdict === 'baseline') ?? results.find((one) => one.scheme === 'dense')}));
}

export const hoursOf = (result) => result['hours.mean'] ?? null;
export const hoursText = (hours) => (hours === null || hours === undefined ? '–' : duration(3600 * hours));

/** A speedup of 0 is that of a run that never gets there. */
const between = (interval) => (interval ? ` (${interval[0] > 0 ? `${factor(interval[0])} to` : 'at most'} ${factor(interval[1])})` : '');
const listed = (results) => results.map((one) => `${one.scheme}, ${factor(one['speedup.value'])}${between(one['speedup.interval'])}`).join('; ');
const named = (results) => results.map((one) => one.scheme).join(', ');
/** Of unknown loss: which of them may lose most and still beat a dense training of their hours. */
const allowed = (results) => {
  const best = results.filter((one) => one.most_loss > 0).sort((a, b) => b.most_loss - a.most_loss)[0];
  return named(results) + (best ? `; ${best.scheme} pays below +${digits3(best.most_loss)}` : '');
};

/** Where nothing was trained: how many more epochs each scheme may take. */
function breakEven({results}) {
  const known = results.filter((one) => one.scheme !== 'dense' && one.break_even > 0).sort((a, b) => b.break_even - a.break_even);
  if (known.length === 0) return 'no scheme can win, however few epochs it takes';
  const [best] = known;
  return best.break_even > 1
    ? `${best.scheme} wins if it takes less than ${digits3(best.break_even)} times as many epochs as dense`
    : `a scheme has to need fewer epochs than dense to win: ${best.scheme} less than ${digits3(best.break_even)} times as many`;
}

/** {headline, details} of a machine. */
export function ttaAnswer(tta, {machine, dense, results}) {
  const {question} = tta;
  const where = `${(question.networks ?? []).join(', ')} on ${question.devices > 1 ? `${question.devices} ` : ''}${machine}`;
  const denseHours = dense ? hoursOf(dense) : null;
  if (question.target === null || denseHours === null) {
    return {headline: `${where}: ${breakEven({results})}`, details: question.target === null ? 'No target was asked for.' : ''};
  }
  if (results.length === 1) {
    return {headline: `${where}: dense reaches ${question.metric} ${question.target} in ${hoursText(denseHours)}`, details: ''};
  }
  const of = (verdict) => results.filter((one) => one.verdict === verdict)
    .sort((a, b) => b['speedup.value'] - a['speedup.value']);
  const faster = of('faster');
  const goal = `${question.metric} ${question.target}`;
  const headline = faster.length > 0
    ? `${where}: ${faster[0].scheme} reaches ${goal} first, ${factor(faster[0]['speedup.value'])} as fast as dense`
    : `${where}: no scheme is known to reach ${goal} before dense does`;
  const parts = [`Dense takes ${hoursText(denseHours)}`];
  const say = (name, verdict, text) => { if (of(verdict).length > 0) parts.push(`${name}: ${text(of(verdict))}`); };
  say('Faster', 'faster', listed);
  say('Cannot be told apart', 'cannot be told apart', listed);
  say('Slower', 'slower', listed);
  say('One run, so no interval', 'one run', listed);
  say('Never get there', 'not reached', named);
  say('Neither a curve nor a loss at the end is known', 'unknown', allowed);
  return {headline, details: `${parts.join('. ')}.`};
}

/** Bars of the time to the target: [{name, value, interval, about}]; value null where it is not reached. What is unknown has none. */
export const timeBars = ({results}, unit) => results.filter((one) => one.verdict !== 'unknown').map((one) => ({
  name: one.scheme, value: hoursOf(one) === null ? null : hoursOf(one) * unit,
  // Without a high end it may never be reached.
  interval: one['hours.interval'] ? one['hours.interval'].map((hours) => (hours === null ? null : hours * unit)) : null,
  about: `${one['to_target.reached'] ?? 0} of ${one['to_target.runs'] ?? 0} runs${one['to_target.predicted'] ? ', predicted by its loss at the end' : ''}`,
}));

/** Names, dense first, then those that reach the target soonest. */
export const quickest = ({results, dense}) => [...(dense ? [dense.scheme] : []),
  ...results.filter((one) => one !== dense && hoursOf(one) !== null).sort((a, b) => hoursOf(a) - hoursOf(b)).map((one) => one.scheme)];

/** Whose steps, and whose curves if they are another's. */
export const subject = ({question}) => `${(question.networks ?? []).join(', ')}${question.curves_of ? `, curves of ${question.curves_of}` : ''}`;

/** A row for each pair that was tested, with what the test says. */
export const orderingRows = (pairs) => pairs.map((pair) => ({...pair,
  so: pair['final.told_apart'] ? (pair['final.difference'] > 0 ? 'higher' : 'lower') : 'cannot be told apart'}));

/** How many comparisons were made, and what chance makes of so many. */
export const testsText = (tests) =>
  `${tests} comparisons were made here, of times and of final values: ${digits3(0.05 * tests)} of them have p below 0.05 by chance alone.`;

/** The unit that suits the longest time: [name, units in an hour]. */
export function timeUnit(hours) {
  const longest = Math.max(...hours.filter((one) => one > 0), 0);
  if (longest >= 2) return ['h', 1];
  return longest >= 2 / 60 ? ['min', 60] : ['s', 3600];
}
