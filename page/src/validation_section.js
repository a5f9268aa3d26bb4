// Predictions beside measurements (stcsim.validation/1).

import {chart, tip} from './charts.js';
import {h, section, select} from './dom.js';
import {digits3, percent} from './format.js';
import {columnsOf, table} from './table.js';
import {comparisons, errorsOf, roundDown, roundUp} from './validation.js';

const nameOf = (row) => (row.m ? `${row.m}×${row.n}×${row.k} ${row.dtype}` : row.network ?? row.op ?? `${row.instr} ${row.shape}`);

function scatter(comparison) {
  const values = comparison.rows.flatMap((one) => [one.x, one.y]);
  const [low, high] = [roundDown(Math.min(...values)), roundUp(Math.max(...values))];
  const gpus = [...new Set(comparison.rows.map((one) => one.row.gpu))];
  const tones = ['kind1', 'kind5', 'kind3', 'gemm1', 'pruning', 'kind7', 'gemm3', 'kind2'];
  const isSpeedup = comparison.name.startsWith('speedup');
  const build = ({text, axis, tooltip, legend, colour, legendLines}) => ({
    textStyle: text, legend: {...legend, top: 0, left: 0, right: 0, data: gpus},
    grid: {left: 8, right: 20, top: 24 * legendLines(gpus) + 24, bottom: 40, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
    tooltip: {...tooltip, formatter: ({data}) => data?.of && tip(nameOf(data.of.row), [
      ['measured', digits3(data.of.x)], ['simulated', digits3(data.of.y)], ['error', percent(data.of.y / data.of.x - 1)],
      ['source', data.of.row.source]])},
    xAxis: {...axis, type: isSpeedup ? 'value' : 'log', min: low, max: high, name: 'measured', nameLocation: 'middle', nameGap: 26,
            axisLabel: {...axis.axisLabel, formatter: digits3, hideOverlap: true}},
    yAxis: {...axis, type: isSpeedup ? 'value' : 'log', min: low, max: high, name: 'simulated', nameTextStyle: {...axis.nameTextStyle, align: 'left'},
            axisLabel: {...axis.axisLabel, formatter: digits3, hideOverlap: true}},
    series: [{type: 'line', data: [[low, low], [high, high]], symbol: 'none', silent: true, lineStyle: {color: colour('quiet'), width: 1}},
      ...gpus.map((gpu, i) => ({type: 'scatter', name: gpu, symbolSize: 6, itemStyle: {color: colour(tones[i % tones.length]), opacity: 0.7},
        data: comparison.rows.filter((one) => one.row.gpu === gpu).map((one) => ({value: [one.x, one.y], of: one}))}))],
  });
  return chart({build, height: ({narrow}) => (narrow ? 360 : 440), many: true, label: `${comparison.name}: simulated over measured`});
}

export function validationSection(validation, {suffix}) {
  const list = comparisons(validation);
  const box = h('div');
  const show = (name) => {
    const one = list.find((item) => item.name === name);
    const errors = errorsOf(one.rows);
    box.replaceChildren(select('shown', list.map((item) => item.name), name, show),
      h('p', {}, errors.rows === 0 ? 'No row is scored.' :
        `${errors.rows} scored rows of ${one.rows.length}: off by ${percent(errors.meanAbsolute)} in the mean, ${percent(errors.bias)} with sign.`),
      scatter(one).element);
  };
  if (list.length > 0) show(list[0].name);
  const answers = list.map((one) => ({...one, errors: errorsOf(one.rows)})).filter(({errors}) => errors.rows > 0).slice(0, 3).map((one) => {
    const {errors} = one;
    return {headline: `${one.name[0].toUpperCase()}${one.name.split(',')[0].slice(1)}: off by ${percent(errors.meanAbsolute)} in the mean of ${errors.rows} scored rows`,
            details: `With sign ${percent(errors.bias)}.`};
  });
  const tables = [['results', 'GEMMs'], ['streams', 'other kernels'], ['networks', 'networks'], ['instructions', 'instructions']]
    .filter(([key]) => validation[key]?.length > 0)
    .map(([key, title]) => h('details', {}, h('summary', {}, `Table: ${title}`),
      table({name: `validation-${key}`, rows: validation[key], columns: columnsOf(validation[key])})));
  return {answers, element: section(`validation${suffix}`, 'How sure: simulated beside measured', box,
    validation.summary?.length > 0 && table({name: 'validation-summary', rows: validation.summary ?? [], columns: columnsOf(validation.summary ?? [])}), tables)};
}
