// node pictures.mjs VALIDATION.json PACKAGES RESULTS: draws what `stcsim evidence rows --format json` wrote, and puts the
// pictures into RESULTS/validation.md and counters.md, which the same command wrote. README's is validation_first.svg.

import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {axis, plotter} from '../exploration/plots.mjs';
import {firstPicture} from './first_picture.mjs';

/** Told apart by readers who do not see all colours (Okabe and Ito, 2008). */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7a5ea8', '#5d6d7e'];
const faint = '#bbbbbb';

/** Points of rows by a name of theirs: [{name, points}] in the order of names. @param pointOf [x, y], or nothing */
export function seriesOf(rows, nameOf, pointOf) {
  const series = new Map();
  for (const row of rows) {
    const point = pointOf(row);
    if (point) series.set(nameOf(row), [...series.get(nameOf(row)) ?? [], point]);
  }
  return [...series].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, points]) => ({name, points}));
}

const both = (measured, simulated) => (row) =>
  (row.skipped === '' && row[measured] !== null && row[simulated] !== null ? [row[measured], row[simulated]] : null);

/** A path of short lines with round ends, or of squares, which takes far less room than a symbol each; drawn by the first item. */
const dots = ({name, points, colour, square, apart = 0}, limit) => ({
  type: 'custom', name: `${name} (${points.length})`, itemStyle: {color: colour}, data: points, clip: false,
  renderItem: (params, api) => {
    if (params.dataIndex > 0) return null;
    const within = (y) => (limit ? Math.min(limit, Math.max(1 / limit, y)) : y);
    const at = points.map(([x, y]) => api.coord([x, within(y)]));
    const long = square ? 5 : 1;
    return {type: 'path', shape: {pathData: at.map(([x, y]) => `M${(x + apart - long / 2).toFixed(1)} ${y.toFixed(1)}h${long}`).join('')}, silent: true,
            style: {fill: 'none', stroke: colour, lineWidth: 5, lineCap: square ? 'butt' : 'round', opacity: 0.6}};
  },
});

const legend = (series, width) => ({left: width - 220, top: 30, orient: 'vertical', itemGap: 10, itemWidth: 14,
  data: series.map(({name, points, square}) => ({name: `${name} (${points.length})`, icon: square ? 'rect' : 'circle'}))});
/** Squares where colours are used a second time. */
const coloured = (series) => series.map((one, i) => ({colour: colours[i % colours.length], square: i >= colours.length, ...one}));
const digits = {axisLabel: {...axis.axisLabel, hideOverlap: true, formatter: (value) => String(Number(value.toPrecision(2)))}};
const log = {...axis, type: 'log', nameLocation: 'middle', nameGap: 34};
const line = (data, colour) => ({type: 'line', symbol: 'none', silent: true, data, lineStyle: {color: colour, width: 1}, z: 1});

/** Measured against simulated values, both axes alike, with the diagonal and a band on either side. */
export function scatterOption({title, unit, series, band}) {
  const values = series.flatMap(({points}) => points.flat());
  const [least, most] = [Math.min(...values) / 1.15, Math.max(...values) * 1.15];
  const ends = {min: least, max: most};
  const shown = coloured(series);
  const edge = (factor) => [[least, least * factor], [most, most * factor]];
  return {
    title: {text: title, left: 60, top: 4, textStyle: {fontSize: 13}}, legend: legend(shown, 850), grid: {left: 70, right: 240, top: 36, bottom: 56},
    xAxis: {...log, ...digits, ...ends, logBase: most / least < 8 ? 1.5 : 10, name: `measured ${unit}`}, yAxis: {...log, ...digits, ...ends, logBase: most / least < 8 ? 1.5 : 10, name: `simulated ${unit}`, nameGap: 48},
    series: [line(edge(1), '#888888'), line(edge(1 + band), '#9cc3dd'), line(edge(1 / (1 + band)), '#9cc3dd'), ...shown.map((one) => dots(one))],
  };
}

/** Simulated over measured, over something of the row. @param apart pixels between series, where many rows have the same x */
export function errorOption({title, label, series, band, apart}) {
  const [xs, ratios] = [0, 1].map((i) => series.flatMap(({points}) => points.map((point) => point[i])));
  const limit = Math.min(4, Math.max(1.5, ...ratios, ...ratios.map((one) => 1 / one)));
  const shown = coloured(series).map((one, i) => ({...one, apart: apart * (i - (series.length - 1) / 2)}));
  const [least, most] = [Math.min(...xs) / 1.15, Math.max(...xs) * 1.15];
  const flat = (value) => [[least, value], [most, value]];
  const percent = (value) => `${value >= 1 ? '+' : '−'}${Math.round(100 * Math.abs(value - 1))} %`;
  return {
    title: {text: title, left: 60, top: 4, textStyle: {fontSize: 13}}, legend: legend(shown, 840), grid: {left: 70, right: 240, top: 36, bottom: 56},
    xAxis: {...log, ...digits, name: label, min: least, max: most},
    yAxis: {...log, name: 'error', nameGap: 48, logBase: 1.25, min: 1 / limit, max: limit, axisLabel: {...axis.axisLabel, formatter: percent}},
    series: [line(flat(1), '#888888'), line(flat(1 + band), '#9cc3dd'), line(flat(1 / (1 + band)), '#9cc3dd'), ...shown.map((one) => dots(one, limit))],
  };
}

/** A measured range above the simulated one, a line for each pair; an open end goes to the edge. @param pairs [{label, measured: [low, high], simulated}] */
export function intervalOption({title, label, pairs}) {
  const ends = pairs.flatMap(({measured, simulated}) => [...measured, ...simulated]).filter((end) => end !== null);
  const [least, most] = [Math.floor(Math.min(1, ...ends) * 5) / 5, Math.ceil(Math.max(1, ...ends) * 5) / 5];
  const bars = (name, key, colour, shift) => ({
    type: 'custom', name, itemStyle: {color: colour}, encode: {x: [0, 1], y: 2},
    data: pairs.map((pair, i) => [pair[key][0] ?? least, pair[key][1] ?? most, i]),
    renderItem: (_, api) => {
      const [from, y] = api.coord([api.value(0), api.value(2)]);
      const [to] = api.coord([api.value(1), api.value(2)]);
      return {type: 'rect', shape: {x: to - from < 4 ? from - 3 : from, y: y + shift, width: Math.max(6, to - from), height: 7}, style: {fill: colour}};
    },
  });
  return {
    title: {text: title, left: 8, top: 4, textStyle: {fontSize: 13}}, legend: {left: 600, top: 6, itemGap: 40}, grid: {left: 470, right: 30, top: 40, bottom: 50},
    xAxis: {...axis, type: 'value', min: least, max: most, interval: 0.2, name: label, nameLocation: 'middle', nameGap: 30},
    yAxis: {...axis, type: 'category', inverse: true, data: pairs.map((pair) => pair.label), axisTick: {show: false}, axisLabel: {...axis.axisLabel, interval: 0}},
    series: [bars('measured', 'measured', colours[0], -9), bars('simulated', 'simulated', colours[1], 1)],
  };
}

const subjects = [
  {key: 'dense', title: 'Dense GEMMs', unit: 'time, us', point: both('measured_dense_us', 'simulated_dense_us')},
  {key: 'sparse', title: 'Sparse GEMMs', unit: 'time, us', point: both('measured_sparse_us', 'simulated_sparse_us')},
  {key: 'speedup', title: 'Speedup of sparse over dense', unit: 'speedup', point: both('measured_speedup', 'simulated_speedup')}];
const abscissas = [
  {key: 'time', label: 'dense time, us', value: (row) => row.measured_dense_us ?? row.simulated_dense_us, apart: 0},
  {key: 'm', label: 'M', value: (row) => row.m, apart: 4}, {key: 'n', label: 'N', value: (row) => row.n, apart: 4},
  {key: 'k', label: 'K', value: (row) => row.k, apart: 4}];

/** Gains of 2:4: rows that were not fitted by machine, all that were looked at while fitting faintly behind them. */
export function gainSeries(rows) {
  const of = (use) => rows.filter((row) => row.use === use && row.pattern === '2:4');
  const point = both('measured_speedup', 'simulated_speedup');
  const fitted = seriesOf(of('fitting'), () => 'fitted', point).map((one) => ({...one, colour: faint}));
  return [...fitted, ...seriesOf(of('testing'), (row) => `not fitted: ${row.machine}`, point).map((one, i) => ({...one, colour: colours[i % colours.length]}))];
}

/** Times of dense training steps in ms, fine-tuning and parts of networks apart. */
export function stepSeries(networks) {
  const point = both('measured_dense_us', 'simulated_dense_us');
  return seriesOf(networks.filter((row) => row.scope === 'step' && row.phase !== 'inference'),
    (row) => row.machine + (['fine-tuning', 'part of a network'].includes(row.phase) ? `, ${row.phase}` : ''), (row) => point(row)?.map((us) => us / 1000));
}

/** Gains of the passes of sparse training: networks of several sizes by name, all others together. */
export function trainingSeries(networks) {
  const passes = networks.filter((row) => row.scope === 'passes' && row.phase.startsWith('training'));
  const sizes = (name) => passes.filter(({network}) => network === name).length;
  return seriesOf(passes, ({network, gpu}) => (sizes(network) > 1 ? `${network}, ${gpu}` : 'others, once each'),
    both('measured_speedup_low', 'simulated_speedup_low'));
}

const counterHeading = '# Cycles, bytes and clocks beside hardware counters';

/** Counted launches by type and pattern, from 10,000 cycles on: with the kernel that ran. */
export function counterSeries(counters, figure) {
  const scored = counters.filter(({use, measured_cycles}) => use !== 'shown' && measured_cycles >= 10000);
  return seriesOf(scored, ({dtype, pattern}) => `${dtype} ${pattern}`, both(`measured_${figure}`, `simulated_${figure}`));
}

/** All pictures: [{file, title, width, height, option, after}], `after`: the heading below whose first table it goes. */
export function picturesOf({results, instructions, networks, counters}) {
  const machine = (row) => row.machine;
  const band = 0.1;
  const scatter = (file, title, unit, series, at = band) => ({file, title, width: 850, height: 660, series, option: () => scatterOption({title, unit, series, band: at})});
  const gains = scatter('validation_gains.svg', 'Gain of 2:4 over dense, one point a GEMM; the band is 10 % to either side', 'gain, times as fast', gainSeries(results));
  const ofSubjects = subjects.map(({key, title, unit, point}) => scatter(`validation_${key}.svg`, title, unit, seriesOf(results, machine, point)));
  const errors = subjects.flatMap(({key, title, point}) => abscissas.map(({key: over, label, value, apart}) => {
    const series = seriesOf(results.filter((row) => row.use !== 'shown'), machine, (row) => {
      const found = point(row);
      return found && Number.isFinite(value(row)) ? [value(row), found[1] / found[0]] : null;
    });
    const whole = `${title}: error over ${label}`;
    return {file: `validation_error_${key}_${over}.svg`, title: whole, width: 840, height: 420, series,
            option: () => errorOption({title: whole, label, series, band, apart})};
  }));
  const rates = scatter('validation_instructions.svg', 'Throughput of matrix instructions', 'FMA/clk/SM',
    seriesOf(instructions, (row) => row.gpu, both('measured_fma_per_clk_sm', 'simulated_fma_per_clk_sm')), 0.03);
  const pairs = networks.filter((row) => row.skipped === '' && (row.measured_speedup_low ?? row.measured_speedup_high) !== null)
    .map((row) => ({label: `${row.line}: ${row.network}${row.config ? `, ${row.config}` : ''}, ${row.dtype}`,
                    measured: [row.measured_speedup_low, row.measured_speedup_high], simulated: [row.simulated_speedup_low, row.simulated_speedup_high]}));
  const ranges = {file: 'validation_networks.svg', title: 'Speedup of whole networks by sparsity', width: 920, height: 90 + 26 * pairs.length, series: pairs,
                  option: () => intervalOption({title: 'Speedup of whole networks by sparsity', label: 'dense time / sparse time', pairs})};
  const steps = scatter('validation_steps.svg', 'Dense training steps', 'ms', stepSeries(networks));
  const training = scatter('validation_training.svg', 'Gain of 2:4 in training, forward and backward; the band is 5 % to either side', 'gain, times as fast',
    trainingSeries(networks), 0.05);
  const counted = [scatter('counters_cycles.svg', 'Cycles of a kernel, one point a launch; the band is 10 % to either side', 'cycles', counterSeries(counters, 'cycles')),
                   scatter('counters_clocks.svg', 'Clock of launches in a row, one point a GEMM; the band is 5 % to either side', 'clock, MHz', counterSeries(counters, 'row_mhz'), 0.05)];
  return [
    ...counted.map((one) => ({...one, page: 'counters.md', after: counterHeading})),
    ...[gains, ...ofSubjects].map((one) => ({...one, after: '# Predictions beside measurements'})), ...errors.map((one) => ({...one, after: '## By machine, type and size'})),
    {...rates, after: '## Instructions'}, {...ranges, after: '## Networks'}, {...training, after: '### Sparse training'}, {...steps, after: '### Dense training steps'}].filter(({series}) => series.length > 0);
}

/** The page with each picture behind the first table below its heading. */
export function withPictures(page, pictures) {
  const lines = page.split('\n');
  for (const heading of new Set(pictures.map(({after}) => after))) {
    const start = lines.indexOf(heading);
    if (start < 0) throw new Error(`the page has no '${heading}'`);
    const table = lines.findIndex((text, i) => i > start && text.startsWith('|'));
    const end = lines.findIndex((text, i) => i > table && !text.startsWith('|'));
    lines.splice(end, 0, ...pictures.filter(({after}) => after === heading).flatMap(({title, file}) => ['', `![${title}](${file})`]));
  }
  return lines.join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [validation, packages, folder] = process.argv.slice(2);
  const document = JSON.parse(readFileSync(validation, 'utf8'));
  const pictures = picturesOf(document);
  const plot = plotter(packages, folder);
  for (const {file, width, height, option} of pictures) plot(file, width, height, option());
  writeFileSync(join(folder, 'validation_first.svg'), firstPicture(document.networks));
  const pageOf = ({page = 'validation.md'}) => page;
  for (const name of new Set(pictures.map(pageOf))) {
    const page = join(folder, name);
    writeFileSync(page, withPictures(readFileSync(page, 'utf8'), pictures.filter((one) => pageOf(one) === name)));
  }
}
