// Scheme x phase as a heat table.

import {h} from './dom.js';
import {factor, percent, time, words} from './format.js';
import {gainColour, textOn} from './gain_colour.js';
import {hasDenseSteps, hasMachinesWithoutLibraries, isFailed, stepWord, withBestKernels} from './study.js';
import {colour, onTheme} from './theme.js';

const colours = () => ({neutral: colour('neutral'), slow: colour('slow'), fast: colour('fast')});

/** A cell of a gain in its colour. */
export function heat(value, strong) {
  if (!(value > 0)) return h('td', {class: 'number'}, '–');
  const cell = h('td', {class: strong ? 'number heat strong' : 'number heat'}, factor(value));
  const paint = () => {
    cell.style.background = gainColour(value, colours());
    cell.style.color = textOn(cell.style.background);
  };
  paint();
  onTheme(paint);
  return cell;
}

const trainingColumns = [['forward', 'forward'], ['dgrad', 'dgrad'], ['wgrad', 'wgrad'], ['all GEMMs', 'gemms']];

/** Order: fastest first, dense on top. */
function orderOf(group) {
  return [...group.totals].sort((a, b) => (b.scheme === 'dense') - (a.scheme === 'dense') || b.speedup - a.speedup);
}

export function matrix(group, onscheme) {
  const isTraining = group.pass === 'training';
  const columns = isTraining ? trainingColumns : [['all GEMMs', 'gemms']];
  const step = stepWord(group);
  const trainings = group.totals.some(hasDenseSteps);
  const leavesDense = group.totals.some((total) => total['always.cycles'] !== total['step.cycles']);
  const best = hasMachinesWithoutLibraries(group.study) && withBestKernels(group.totals[0]) !== undefined;
  const head = h('tr', {}, h('th', {scope: 'col'}, 'scheme'),
    [step, ...(leavesDense ? ['always'] : []), ...(trainings ? ['training'] : []), ...(best ? ['all kernels'] : []), 'likely', ...columns.map(([name]) => name), 'other work', 'without pruning', 'time', 'MACs sparse'].map((name) =>
      h('th', {scope: 'col', class: 'number'}, name)), h('th', {scope: 'col'}, 'than dense'));
  const lines = orderOf(group).map((total) => {
    const isDense = total.scheme === 'dense';
    const failed = isFailed(total);
    const cells = failed
      ? [h('td', {colspan: columns.length + 7 + trainings + leavesDense + best}, 'failed: not everything could be simulated')]
      : [heat(total['step.speedup'], true), leavesDense && heat(total['always.speedup']), trainings && heat(total['training.speedup'], true), best && heat(withBestKernels(total)),
         h('td', {class: 'number'}, total['speedup_interval.low'] > 0 && !isDense
           ? `${factor(total['speedup_interval.low'])}…${factor(total['speedup_interval.high'])}` : '–'),
         columns.map(([, key]) => (total[`${key}.time_us`] > 0 ? heat(total[`${key}.speedup`]) : h('td', {class: 'number'}, '–'))),
         heat(total['other.speedup']), heat(total['step_without_work.speedup']),
         h('td', {class: 'number'}, time(total['step.time_us'])),
         h('td', {class: 'number'}, percent(total['sparse_share.gemms'])),
         h('td', {}, isDense ? '' : words(total.verdict || ''))];
    return h('tr', {class: 'link', onclick: () => onscheme(total.scheme)}, h('th', {scope: 'row'}, total.scheme), cells);
  });
  return h('div', {class: 'pane'}, h('table', {class: 'matrix'}, h('thead', {}, head), h('tbody', {}, lines)));
}
