// A study: the answer, and everything that explains it.

import {answerOf} from './answer.js';
import {bars} from './bars.js';
import {details} from './details.js';
import {fill, h, section, select, tabs} from './dom.js';
import {bytes, factor, percent, time, words} from './format.js';
import {heat, matrix} from './matrix.js';
import {parallelSection} from './parallel_section.js';
import {rooflineView} from './roofline_view.js';
import {groupsOf, hasDenseSteps, hasMachinesWithoutLibraries, isFailed, isGemm, ranking, rowsOf, stepWord, timeOf, titleOf, totalOf, withBestKernels} from './study.js';
import {table} from './table.js';
import {treemap} from './treemap.js';
import {waterfallView} from './waterfall_view.js';

const resultColumns = (all) => [
  {key: 'layer', title: 'layer'}, {key: 'phase', title: 'phase'}, {key: 'op', title: 'op'}, {key: 'kind', title: 'kind'},
  {key: 'scheme', title: 'scheme'}, {key: 'repeat', title: 'repeat', help: 'how often the layer occurs'},
  {key: 'cycles', title: 'cycles', help: 'of one repeat'},
  {key: 'time_us', title: 'time', format: time},
  {key: 'share', title: 'of step', value: (row) => timeOf(row) / all(row.scheme), format: percent,
   help: 'all repeats, of the step of its scheme'},
  {key: 'speedup', title: 'speedup', format: (value) => (value === null ? '' : factor(value)),
   value: (row) => (row.dense_time_us > 0 && row.time_us > 0 ? row.speedup : null)},
  {key: 'bound_by', title: 'limited by', format: (value) => words(value ?? '')},
  {key: 'm', title: 'm'}, {key: 'n', title: 'n'}, {key: 'k', title: 'k'},
  {key: 'pattern', title: 'pattern'}, {key: 'hardware_pattern', title: 'hardware'},
  {key: 'kernel.name', title: 'kernel'}, {key: 'kernel.waves', title: 'waves'},
  {key: 'utilization', title: 'used', format: percent, help: 'share of multiplier slots'},
  {key: 'reason', title: 'note'},
];

/** The longest of the GEMMs that ran sparse, or of all GEMMs. */
function longestOf(rows) {
  const gemms = rows.filter(isGemm);
  const sparse = gemms.filter((row) => row.ran_sparse);
  return (sparse.length > 0 ? sparse : gemms).reduce((most, row) =>
    (most === null || timeOf(row) > timeOf(most) ? row : most), null);
}

function stepTimes(group) {
  const sums = new Map();
  for (const row of group.rows) sums.set(row.scheme, (sums.get(row.scheme) ?? 0) + timeOf(row));
  return (scheme) => sums.get(scheme);
}

function memoryTable(group) {
  const totals = group.totals.filter((total) => total['memory.total_bytes'] > 0);
  if (totals.length === 0) return null;
  const parts = Object.keys(totals[0]).filter((key) => /^memory\..*_bytes$/.test(key));
  return h('details', {}, h('summary', {}, 'Memory of a step'), table({
    name: `memory-${group.network}-${group.machine}`, rows: totals,
    columns: [{key: 'scheme', title: 'scheme'},
              ...parts.map((key) => ({key, title: words(key.slice(7, -6)), format: bytes})),
              {key: 'memory.fits', title: 'fits', format: (value) => (value ? 'yes' : 'no')}]}));
}

/** What is shown of one group; a choice of scheme redraws what depends on it. */
function groupView(group, {explanations, suffix}, asked) {
  const clock = group.totals[0].clock_mhz;
  let scheme = asked ?? ranking(group)[0]?.scheme ?? group.schemes[0];
  const fallBox = h('div');
  const mapBox = h('div');
  const detailBox = h('div', {class: 'detail-box', 'aria-live': 'polite'});
  const chooser = h('div', {class: 'chooser'});
  const onrow = (row, rows = [row]) => {
    const list = rows.length > 1 ? h('p', {class: 'note'}, `The longest of ${rows.length} kernels here.`) : null;
    const longest = rows.reduce((most, one) => (timeOf(one) > timeOf(most) ? one : most), row);
    fill(detailBox, details(longest, {own: clock, dense: clock}, explanations), list);
  };
  const choose = (name) => {
    scheme = name;
    fill(chooser, select('scheme', group.schemes, scheme, choose));
    fill(fallBox, waterfallView(group, scheme));
    const map = treemap(group, scheme, onrow);
    fill(mapBox, map.element);
    const first = longestOf(rowsOf(group, scheme));
    if (first) onrow(first);
  };
  choose(scheme);
  const total = totalOf(group, scheme);
  return [
    section(`matrix${suffix}`, 'Speedup by scheme and phase', matrix(group, choose), h('p', {class: 'note'},
      'Dense time / time on the same machine at the same clock, dense with the kernels that the same software chooses for it. ' +
      'GEMMs and steps are those in which a scheme is sparse; “training”: the mean of all steps, where others are dense. “Between”: ' +
      `where the speedup of a ${group.pass === 'training' ? 'training' : 'pass'} lies if simulated times are as far off as validated ones ` +
      'are. ' + (hasMachinesWithoutLibraries(group.study) ? '“All kernels”: what a training gains with the best of all kernels, which ' +
      'machines without libraries choose from. ' : '') + 'A click on a line chooses the scheme below.'),
    h('p', {class: 'note'}, `Software: ${total.stack}; ${total.framework ? `framework ${total.framework}; ` : ''}` +
      `clock ${Math.round(clock)} MHz${total.dense_watts > 0 ? `, the dense ${stepWord(group)} draws ${Math.round(total.dense_watts)} W` : ''}.`)),
    parallelSection((group.study.parallel ?? []).filter((one) => one.machine === group.machine && one.network === group.network), suffix),
    section(`parts${suffix}`, `Where the time of a ${stepWord(group)} goes`, bars(group).element, memoryTable(group)),
    h('div', {class: 'sticky'}, chooser),
    section(`waterfall${suffix}`, 'Where the gain goes', fallBox),
    section(`layers${suffix}`, 'Layers: area is time, colour is speedup', legend(), mapBox, detailBox),
    section(`roofline${suffix}`, 'Roofline', rooflineView(group, (row) => { onrow(row); detailBox.scrollIntoView({block: 'nearest'}); })),
    section(`results${suffix}`, 'All results', table({name: `results-${group.network}-${group.machine}`, rows: group.rows,
      columns: resultColumns(stepTimes(group)), onrow, sortBy: 'share'})),
  ];
}

function legend() {
  return h('div', {class: 'scale', 'aria-hidden': 'true'}, h('span', {}, '0.5× slower'),
    h('span', {class: 'gradient'}), h('span', {}, '2× faster'), h('span', {class: 'own'}), h('span', {}, 'only this scheme has it'));
}

/** Schemes down, networks and machines across: the gain of a training in a cell, whose click shows it below. */
function heatMap(groups, onchoose) {
  const gainOf = (group, scheme) => totalOf(group, scheme)?.['training.speedup'];
  const schemes = [...new Set(groups.flatMap((group) => group.schemes))].filter((one) => one !== 'dense')
    .map((scheme) => ({scheme, gains: groups.map((group) => gainOf(group, scheme))}))
    .sort((a, b) => Math.max(...b.gains.map((one) => one || 0)) - Math.max(...a.gains.map((one) => one || 0)));
  const cell = (group, scheme) => {
    const total = totalOf(group, scheme);
    if (!total || isFailed(total)) return h('td', {}, '');
    const made = heat(total['training.speedup']);
    made.title = `${scheme}, ${titleOf(group)}: ${words(total.verdict ?? '')}`;
    made.addEventListener('click', () => onchoose(group.key, scheme));
    return made;
  };
  const head = (text, key) => h('tr', {}, h('th', {}, text), groups.map((group) => h('th', {scope: 'col'}, group[key])));
  return h('div', {class: 'pane'}, h('table', {class: 'matrix map'},
    h('thead', {}, head('network', 'network'), head('machine', 'machine')),
    h('tbody', {}, schemes.map(({scheme}) => h('tr', {class: 'link'}, h('th', {scope: 'row'}, scheme), groups.map((group) => cell(group, scheme)))))));
}

function overview(groups, suffix, onchoose) {
  const rows = groups.flatMap((group) => group.totals.map((total) => ({...total, group})));
  const differs = ({key}) => new Set(rows.map((row) => row[key])).size > 1;
  return section(`overview${suffix}`, 'All networks and schemes', heatMap(groups, onchoose), legend(),
    h('p', {class: 'note'}, 'Dense time / time of a training, pruning charged. A click on a gain shows where it comes from.'),
    h('details', {}, h('summary', {}, 'All figures'), table({
      name: 'totals', rows, onrow: (row) => onchoose(row.group.key, row.scheme), sortBy: rows.some(hasDenseSteps) ? 'training.speedup' : 'step.speedup',
      columns: [
        {key: 'scheme', title: 'scheme'}, {key: 'step.speedup', title: 'step', format: factor},
        ...(rows.some(hasDenseSteps) ? [{key: 'training.speedup', title: 'training', format: factor}] : []),
        ...(hasMachinesWithoutLibraries({totals: rows})
          ? [{key: 'all_kernels', title: 'all kernels', value: (row) => withBestKernels(row) ?? row['training.speedup'], format: factor,
              help: 'what a training gains with the best of all kernels, which machines without libraries choose from'}] : []),
        {key: 'speedup_interval.low', title: 'from', format: factor}, {key: 'speedup_interval.high', title: 'to', format: factor},
        {key: 'verdict', title: 'than dense', format: (value) => words(value ?? '')},
        {key: 'gemm_speedup', title: 'GEMMs', format: factor}, {key: 'step_without_work.speedup', title: 'without pruning', format: factor},
        {key: 'step.time_us', title: 'time', format: time},
        ...[{key: 'network', title: 'network'}, {key: 'machine', title: 'machine'}, {key: 'pass', title: 'pass'}].filter(differs)]})));
}

function lossNotes(study, group) {
  const worst = (study.losses ?? []).filter((one) => one.machine === group.machine && one.network === group.network && one.pass === group.pass);
  if (worst.length === 0) return null;
  return h('p', {class: 'note'}, 'Next: ', h('code', {}, worst.reduce((a, b) => (b.lost_cycles > a.lost_cycles ? b : a)).explain));
}

function howSure(group, suffix) {
  const [best] = ranking(group);
  if (!best) return null;
  const low = best['speedup_interval.low'];
  if (!(low > 0)) return section(`sure${suffix}`, 'How sure', h('p', {}, 'How far off this machine’s simulated times are is not known: none of its type was measured.'));
  return section(`sure${suffix}`, 'How sure', h('p', {},
    `The speedup of ${best.scheme} lies between ${factor(low)} and ${factor(best['speedup_interval.high'])} if simulated times are as ` +
    'far off as those that were held against measurements.'),
  h('p', {}, best['speedup_interval.assumed']
    ? 'Errors of another machine or data type were taken, because too few of this one are measured.'
    : 'The errors are those of measured GEMMs of this machine and data type. “stcsim evidence rows” lists them.'),
  h('p', {class: 'note'}, 'The interval does not know what the machine model leaves out of every step, such as data loading. ' +
    'Two schemes share most of their errors: their difference is surer than their intervals say.'));
}

/** @returns {answers: [{headline, details}], element} */
export function studySection(study, page) {
  const {suffix} = page;
  const groups = groupsOf(study);
  const box = h('div');
  const chooser = h('div', {class: 'chooser'});
  const parts = [['network', (group) => group.network], ['machine', (group) => group.machine], ['pass', (group) => group.pass]]
    .map(([label, of]) => ({label, of, values: [...new Set(groups.map(of))]})).filter(({values}) => values.length > 1);
  /** The group that differs in one part alone, else the first that has it. */
  const nearest = (group, part, value) => groups.find((one) => part.of(one) === value && parts.every((other) => other === part || other.of(one) === other.of(group)))
    ?? groups.find((one) => part.of(one) === value);
  const show = (key, scheme) => {
    const group = groups.find((one) => one.key === key);
    fill(chooser, parts.map((part) => tabs(part.label, part.values, part.of(group), (value) => show(nearest(group, part, value).key))));
    fill(box, groupView(group, page, scheme), howSure(group, suffix), lossNotes(study, group));
  };
  const choose = (key, scheme) => {
    show(key, scheme);
    chooser.scrollIntoView({block: 'start'});
  };
  if (groups.length > 0) show(groups[0].key);
  const failures = study.failures?.length > 0
    ? h('p', {class: 'warning'}, `${study.failures.length} points could not be simulated: ${study.failures.slice(0, 3).join('; ')}`) : null;
  return {
    answers: groups.map((group) => answerOf(group)),
    element: h('div', {class: 'study'}, failures, groups.length > 1 && overview(groups, suffix, choose), chooser, box),
  };
}
