// Two results held against each other (stcsim.compare/1): what moved.

import {h, section} from './dom.js';
import {count, factor, percent, plain, time, words} from './format.js';
import {seriesBars} from './series_bars.js';
import {columnsOf, table} from './table.js';

const signed = (share) => (Number.isFinite(share) ? `${share > 0 ? '+' : ''}${percent(share)}` : '');
const mostBars = 15;
const nameOf = (row) => [row.layers.length > 1 ? `${row.layers[0]} ×${row.layers.length}` : row.layers[0], row.phase, row.op === 'gemm' ? '' : row.op,
                         row.schemes.length > 0 ? `(${row.schemes.join(', ')})` : ''].filter(Boolean).join(' ');

/** What it is now, and what it was if that was another. */
const changed = (key) => (row) => {
  const [before, now] = [row[`before.${key}`] ?? '', row[`now.${key}`] ?? ''];
  return before === now ? now : `${now || 'nothing'} (was ${before || 'nothing'})`;
};

const rowColumns = [
  {key: 'layers', title: 'layer', value: nameOf, widest: 34}, {key: 'change_us', title: 'adds', help: 'to a step', format: (value) => (value < 0 ? `−${time(-value)}` : time(value))},
  {key: 'share', title: 'of all', format: percent, help: 'of all that moved'},
  {key: 'before.cycles', title: 'cycles', help: 'before'}, {key: 'now.cycles', title: 'now', help: 'cycles now'},
  {key: 'now.kernel', title: 'kernel', value: changed('kernel'), widest: 28}, {key: 'now.bound_by', title: 'limited by', value: changed('bound_by'), format: words, widest: 20},
];
/** Of the CSV file: what is one column of the table is two. */
const savedColumns = [{key: 'layers', value: nameOf}, ...['change_us', 'share', 'before.cycles', 'now.cycles', 'before.kernel', 'now.kernel', 'before.bound_by', 'now.bound_by']
  .map((key) => ({key, value: (row) => row[key]}))];
const stepColumns = [
  {key: 'scheme', title: 'scheme'}, {key: 'relative', title: 'step', format: (value) => (value === null ? '' : signed(value))},
  {key: 'before.time_us', title: 'before', format: (value) => (value > 0 ? time(value) : '')}, {key: 'now.time_us', title: 'now', format: (value) => (value > 0 ? time(value) : '')},
  {key: 'before.speedup', title: 'speedup before', format: (value) => (value > 0 ? factor(value) : '')}, {key: 'now.speedup', title: 'now', format: (value) => (value > 0 ? factor(value) : '')},
  {key: 'network', title: 'network'}, {key: 'machine', title: 'machine'}, {key: 'pass', title: 'pass'},
];

export function compareSection(comparison, {suffix}) {
  const rows = Array.isArray(comparison.rows) ? comparison.rows : [];
  const changes = Array.isArray(comparison.config_changes) ? comparison.config_changes : [];
  const steps = comparison.steps ?? [];
  const bars = rows.slice(0, mostBars);
  const [headline, ...others] = comparison.answer.split('\n');
  return {
    answers: [{headline, details: others.join(' ')}],
    element: section(`compare${suffix}`, `${comparison.before.file} → ${comparison.now.file}`,
      changes.length > 0 && [h('h3', {}, 'Values that differ'), table({name: 'values', rows: changes, columns: columnsOf(changes, ['key', 'before', 'now'])
        .map((one) => ({...one, format: (value) => (value === null || value === '' ? 'not there' : plain(value))}))})],
      steps.length > 0 && [h('h3', {}, 'Steps'), table({name: 'steps', rows: steps, columns: stepColumns})],
      bars.length > 0 && [h('h3', {}, rows.length > mostBars ? `What moved: the ${mostBars} that change most` : 'What moved'),
        seriesBars({names: bars.map(nameOf), axisName: 'µs more of a step', label: 'what moved', tell: (value) => ['', time(Math.abs(value))],
                    series: [['slower', 'slow', (value) => value > 0], ['faster', 'fast', (value) => value <= 0]].map(([name, tone, counts]) =>
                      ({name, tone, values: bars.map((row) => (counts(row.change_us) ? row.change_us : null))}))}).element,
        table({name: 'moved', rows, columns: rowColumns, saved: savedColumns})],
      h('p', {class: 'note'}, `${count(comparison.same)} of ${count(comparison.figures)} kernels did not move${comparison.rtol > 0 ? ` by more than ${percent(comparison.rtol)}` : ''}.`)),
  };
}
