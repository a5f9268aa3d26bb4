// Time to accuracy (stcsim.tta/1): which scheme reaches the target first, and how sure that is.

import {curveChart} from './curve_chart.js';
import {h, section, select} from './dom.js';
import {digits3, factor, percent, words} from './format.js';
import {intervalBars} from './interval_bars.js';
import {table} from './table.js';
import {hoursText, machinesOf, quickest, orderingRows, subject, testsText, timeBars, timeUnit, ttaAnswer} from './tta.js';

const span = (interval, format) => (interval ? `${format(interval[0])} … ${interval[1] === null ? 'never' : format(interval[1])}` : '');
const orNothing = (format) => (value) => (value === null || value === undefined ? '' : format(value));

const signed = (value) => (value > 0 ? '+' : '') + digits3(value).replace('-', '−');

const resultColumns = [
  {key: 'scheme', title: 'scheme'}, {key: 'verdict', title: 'so'}, {key: 'against', title: 'compared with'},
  {key: 'speedup.value', title: 'speedup', format: orNothing(factor), help: 'hours of dense / hours'},
  {key: 'speedup.interval', title: 'likely', format: (value) => span(value, factor)},
  {key: 'hours.mean', title: 'time to it', format: orNothing(hoursText)},
  {key: 'hours.interval', title: 'from … to', format: (value) => span(value, hoursText)},
  {key: 'training_hours', title: 'whole training', format: orNothing(hoursText)},
  {key: 'most_loss', title: 'pays below', help: 'how much worse it may end and still beat a dense training of its hours', format: orNothing(signed)},
  {key: 'to_target.reached', title: 'runs there'}, {key: 'to_target.runs', title: 'runs'},
  {key: 'epochs_to_target.mean', title: 'epochs', format: orNothing(digits3)},
  {key: 'break_even', title: 'break-even', help: 'how many times as many epochs as dense it may take and still win', format: orNothing(digits3)},
  {key: 'step_ms.mean', title: 'step, ms', format: orNothing(digits3)}, {key: 'step_speedup.value', title: 'of a step', format: orNothing(factor)},
  {key: 'p_value', title: 'p', format: orNothing(digits3)},
  {key: 'final.mean', title: 'ends at', format: orNothing(digits3)},
  {key: 'final_against.difference', title: 'less the other’s', help: 'final value less that of what it is compared with', format: orNothing(signed)},
  {key: 'within_budget.mean', title: 'in budget', format: orNothing(digits3)},
  {key: 'published.sparse', title: 'published', format: orNothing(digits3)}, {key: 'published.dense', title: 'dense', format: orNothing(digits3)},
  {key: 'pareto', title: 'on the front', format: (value) => (value ? 'yes' : 'no')},
  {key: 'evidence', title: 'evidence'},
];

function bars(one, question) {
  const known = one.results.filter((result) => result['hours.mean'] > 0);
  if (known.length === 0) {
    return [h('h3', {}, 'Break-even'),
      h('p', {class: 'note'}, 'How many times as many epochs as dense each may take and still win.'),
      intervalBars({unit: 'times the epochs', label: 'break-even',
                    bars: one.results.filter((result) => result.break_even > 0)
                      .map((result) => ({name: result.scheme, value: result.break_even, interval: null, about: result.evidence ?? ''}))}).element];
  }
  const [unit, scale] = timeUnit(known.map((result) => result['hours.mean']));
  return [h('h3', {}, `Time to ${question.metric} ${question.target}`),
    intervalBars({unit, bars: timeBars(one, scale), label: `time to ${question.target} on ${one.machine}`}).element,
    h('p', {class: 'note'}, `Intervals: ${percent(question.confidence ?? 0.95)}, of the runs' seeds and of simulated step times together.`)];
}

function curvesOverTime(one, question) {
  const curves = one.results.filter((result) => result.points?.length > 0);
  if (curves.length === 0) return null;
  const [unit, scale] = timeUnit(curves.flatMap((result) => result.points.map((point) => point.hours)));
  return curveChart({
    curves: curves.map((result) => ({name: result.scheme, points: result.points.map((point) => ({x: point.hours * scale, mean: point.mean}))})),
    xName: unit, yName: question.metric, target: question.target, first: quickest(one), label: `learning curves over time on ${one.machine}`}).element;
}

function curvesOverTraining(tta, first) {
  const curves = tta.curves.filter((one) => one.points?.length > 0);
  if (curves.length === 0 || tta.question.of_ends) return null;
  return h('div', {}, h('h3', {}, `Learning curves over ${tta.question.over}`),
    h('p', {class: 'note'}, 'Lines are means of the runs, bands reach from the least to the most of them. A click on a name shows or hides it.'),
    curveChart({curves: curves.map((one) => ({name: one.scheme, points: one.points})), xName: tta.question.over,
                yName: tta.question.metric, target: tta.question.target, first, label: 'learning curves'}).element);
}

const comparisonColumns = ['machine', 'scheme', 'against', 'step_ratio', 'step_ratio_pruning_free', 'published_step_ratio',
                           'published_less_time', 'implied_epochs', 'implied_epochs_pruning_free', 'source'];
const orderingColumns = [
  {key: 'claim', title: 'claimed'}, {key: 'scheme', title: 'scheme'}, {key: 'against', title: 'against'},
  {key: 'final.difference', title: 'difference', help: 'mean of the final values less that of the other', format: orNothing(signed)},
  {key: 'final.p_value', title: 'p', help: 'permutation test, two-sided', format: orNothing(digits3)}, {key: 'so', title: 'so'},
  {key: 'source', title: 'source'},
];
const measuredColumns = ['machine', 'scheme', 'measured_hours', 'simulated_hours', 'error', 'source'];

/** What publications claim of pairs of schemes, beside what these curves say. */
function orderings({orderings: pairs, tests}) {
  if (!pairs?.length) return null;
  return [h('h3', {}, 'What was claimed'),
    h('p', {class: 'note'}, testsText(tests)),
    table({name: 'orderings', rows: orderingRows(pairs), columns: orderingColumns})];
}

const extraTable = (name, title, rows, keys) => (rows?.length > 0
  ? [h('h3', {}, title), table({name, rows, columns: keys.map((key) => ({key, title: words(key)}))})] : null);

export function ttaSection(tta, {suffix}) {
  const machines = machinesOf(tta);
  const box = h('div');
  const show = (machine) => {
    const one = machines.find((item) => item.machine === machine);
    const over = curvesOverTime(one, tta.question);
    const title = tta.question.of_ends ? 'Where trainings of any length end' : 'Learning curves over time';
    box.replaceChildren(...[machines.length > 1 && select('machine', machines.map((item) => item.machine), machine, show),
      ...bars(one, tta.question), over && h('h3', {}, title), over,
      table({name: `time-to-accuracy-${machine}`, rows: one.results, columns: resultColumns})].filter(Boolean));
  };
  if (machines.length > 0) show(machines[0].machine);
  return {
    answers: machines.map((one) => ttaAnswer(tta, one)),
    element: section(`tta${suffix}`, `Time to accuracy: ${subject(tta)}`, box,
      curvesOverTraining(tta, machines.length > 0 ? quickest(machines[0]) : []),
      orderings(tta),
      extraTable('comparisons', 'Pairs', tta.comparisons, comparisonColumns),
      extraTable('measured', 'Measured trainings', tta.measured, measuredColumns),
      tta.notes?.length > 0 && h('ul', {class: 'note'}, tta.notes.map((one) => h('li', {}, one)))),
  };
}
