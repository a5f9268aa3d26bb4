// A sweep (stcsim.sweep/1): which points nothing beats, and which axes matter.

import {h, section, select} from './dom.js';
import {plain, ticks, words} from './format.js';
import {frontChart, parallelChart, sensitivityChart} from './sweep_charts.js';
import {axisNames, numberColumns, overWork, paretoFronts, patternAxis, sensitivity, sweepAnswer, variedAxes, workOf} from './sweep.js';
import {columnsOf, table} from './table.js';

const kindWords = {gemm: 'GEMMs', step: 'training steps'};
const mostLines = 3000;   // of parallel coordinates

/** The first of these columns that there is, else the first there is. */
const firstOf = (wanted, columns) => wanted.find((one) => columns.includes(one)) ?? columns[0];

/** Of many rows every n-th. */
const thinned = (rows) => (rows.length > mostLines ? rows.filter((_, i) => i % Math.ceil(rows.length / mostLines) === 0) : rows);

/** Figures of a column with as many decimals as tell its rows apart. */
function apart(rows, key) {
  const values = rows.map((row) => row[key]).filter((value) => typeof value === 'number');
  const format = ticks(Math.min(...values), Math.max(...values));
  return (value) => (typeof value === 'number' && !values.every(Number.isInteger) ? format(value) : plain(value));
}

function frontPart({rows, columns, varied, names}) {
  const state = {x: firstOf(['area_mm2', 'joules', 'time_us'], columns), y: firstOf(['speedup', 'time_us'], columns),
                 by: patternAxis(rows) || (varied.find((axis) => axis === 'scheme') ?? '')};
  const shades = [...new Set([...varied, state.by].filter(Boolean))];
  const box = h('div');
  const show = () => {
    const fronts = paretoFronts(rows, state.x, state.y);
    const front = fronts.flat();
    const set = (key) => (value) => { state[key] = value; show(); };
    const options = columns.map((one) => ({value: one, label: names[one] ?? words(one)}));
    box.replaceChildren(
      h('div', {}, select('across', options, state.x, set('x')), ' ', select('up', options, state.y, set('y')), ' ',
        select('colour', [{value: '', label: 'one'}, ...shades.map((axis) => ({value: axis, label: names[axis]}))], state.by, set('by'))),
      frontChart({rows, fronts, axes: varied, names, ...state}).element,
      h('p', {class: 'note'}, `${front.length} of ${rows.length} points are not beaten in both by another${fronts.length > 1 ? ' of their pattern' : ''}: the large ones, joined.`),
      table({name: 'front', rows: front, most: 12, columns: [...varied.map((key) => ({key, title: names[key]})),
        ...[...new Set([state.x, state.y])].filter((key) => !varied.includes(key)).map((key) => ({key, title: words(key), format: apart(front, key)}))]}));
  };
  show();
  return box;
}

function sensitivityPart({rows, columns, varied, names}) {
  const box = h('div');
  const show = (column) => {
    const list = sensitivity(rows, varied, column);
    box.replaceChildren(...[select('of', columns.map((one) => ({value: one, label: words(one)})), column, show),
      list.length > 0 ? sensitivityChart({list, names, column}).element : h('p', {class: 'note'}, 'No two points differ in one axis alone.')]);
  };
  show(firstOf(['speedup', 'time_us'], columns));
  return box;
}

/** Of one work, or over all of it. */
function charts(rows, dimensions) {
  const axes = dimensions.map(({name}) => name);
  const varied = variedAxes(rows, dimensions);
  const columns = numberColumns(rows);
  const names = axisNames(dimensions);
  const outcomes = columns.filter((one) => !axes.includes(one) && rows.every((row) => row[one] > 0));
  const shown = ['area_mm2', 'speedup'].filter((one) => outcomes.includes(one));
  const lines = thinned(rows);
  return [
    h('h3', {}, 'What nothing beats'), frontPart({rows, columns, varied, names}),
    h('h3', {}, 'What each axis does'),
    h('p', {class: 'note'}, 'Among points that differ in this axis alone: how many times their geometric mean each of its values gives, in the mean of all such groups. ' +
      'The bar reaches from the least to the most; behind it stands the value of the most.'),
    sensitivityPart({rows, columns: outcomes, varied, names}),
    varied.length > 0 && shown.length > 0 && [h('h3', {}, 'All points'),
      h('p', {class: 'note'}, `A line per point${lines.length < rows.length ? ` (${lines.length} of them)` : ''}, coloured by ${words(shown.at(-1))}. Dragging along an axis keeps the lines that cross there.`),
      parallelChart({rows: lines, axes: varied, names, columns: shown, by: shown.at(-1)}).element],
  ];
}

function part(all, kind, dimensions) {
  const rows = all.filter((row) => row.kind === kind);
  const axes = dimensions.map(({name}) => name);
  const works = [...new Set(rows.map((row) => workOf(row, dimensions)))];
  const box = h('div');
  const show = (work) => box.replaceChildren(...[
    works.length > 1 && select('work', [{value: '', label: `all ${works.length}, geometric mean`}, ...works.map((one) => ({value: one, label: one}))], work, show),
    charts(work === '' ? overWork(rows, dimensions) : rows.filter((row) => workOf(row, dimensions) === work), dimensions)].flat(Infinity).filter(Boolean));
  show('');
  return [
    box,
    table({name: `sweep-${kind}`, rows, columns: columnsOf(rows).map((one) => ({...one, title: axisNames(dimensions)[one.key] ?? one.title})), sortBy: 'speedup'}),
  ];
}

export function sweepSection(sweep, {suffix}) {
  const rows = Array.isArray(sweep.rows) ? sweep.rows : [];
  const kinds = Object.keys(kindWords).filter((kind) => rows.some((row) => row.kind === kind));
  const box = h('div');
  const show = (kind) => box.replaceChildren(...[
    kinds.length > 1 && select('points', kinds.map((one) => ({value: one, label: kindWords[one]})), kind, show),
    ...part(rows, kind, sweep.axes)].flat(Infinity).filter(Boolean));
  if (kinds.length > 0) show(kinds[0]);
  return {
    answers: kinds.length === 0 ? [sweepAnswer(sweep, [])]
      : kinds.map((kind) => sweepAnswer(sweep, overWork(rows.filter((row) => row.kind === kind), sweep.axes))),
    element: section(`sweep${suffix}`, `Sweep: ${sweep.space}`, box,
      sweep.failures?.length > 0 && [h('h3', {}, 'Points that failed'), table({name: 'failures', rows: sweep.failures, columns: columnsOf(sweep.failures)})]),
  };
}
