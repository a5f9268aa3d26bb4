// Learning curves (stcsim.curves/1): when runs reach a target, and how sure that is.

import {intervalBars} from './interval_bars.js';
import {h, section} from './dom.js';
import {digits3} from './format.js';
import {columnsOf, table} from './table.js';

const between = (figure) => (figure?.interval ? ` (${digits3(figure.interval[0])} to ${digits3(figure.interval[1])})` : '');

function headlineOf({question, figures}) {
  if (!figures) return `Learning curves: no metric was chosen`;
  if (question.target === null) return `${question.metric} ends at ${digits3(figures.final.mean)}${between(figures.final)}`;
  const first = figures.first_crossing;
  const after = first.reached > 0 ? ` after ${digits3(first.when.mean)} ${question.over}${between(first.when)}` : '';
  return `${question.metric} reaches ${question.target} in ${first.reached} of ${first.runs} runs${after}`;
}

function verdictOf(document) {
  const difference = document.difference?.first_crossing ?? document.difference?.final;
  if (!difference) return '';
  return difference.differ ? `The two sets differ (p = ${digits3(difference.p_value)}).`
    : `The two sets cannot be told apart (p = ${digits3(difference.p_value)}).`;
}

const setsOf = (document) => [['runs', document.figures], ['compared with', document.against]].filter(([, one]) => one);

function crossings(document) {
  const sets = setsOf(document).filter(([, one]) => one.first_crossing?.when?.mean > 0);
  if (sets.length === 0) return null;
  return intervalBars({
    unit: document.question.over, label: 'when the target is reached',
    bars: sets.map(([name, one]) => ({name, value: one.first_crossing.when.mean, interval: one.first_crossing.when.interval,
                                      about: `${one.first_crossing.reached} of ${one.first_crossing.runs} runs`}))}).element;
}

export function curvesSection(document, {suffix}) {
  const runs = setsOf(document).flatMap(([set, figures]) => figures.runs.map((run) => ({set, ...run})));
  return {
    answers: [{headline: headlineOf(document), details: verdictOf(document)}],
    element: section(`curves${suffix}`, 'Learning curves', crossings(document),
      runs.length > 0 && table({name: 'runs', rows: runs, columns: columnsOf(runs)}),
      document.notes?.length > 0 && h('ul', {class: 'note'}, document.notes.map((one) => h('li', {}, `${one.where}: ${one.note}`)))),
  };
}
