// Every GEMM in the roofline of its machine.

import {chart, tip} from './charts.js';
import {h} from './dom.js';
import {digits3, factor, words} from './format.js';
import {peaksOf, pointsOf} from './roofline.js';
import {titleOf} from './study.js';

const phases = [['forward', 'circle'], ['dgrad', 'triangle'], ['wgrad', 'diamond'], ['inference', 'circle']];

function roofs(peaks, low, high) {
  const at = (x, peak) => Math.min(peak, peaks.bandwidth * x / 1e12);
  const line = (peak) => {
    const ridge = peak * 1e12 / peaks.bandwidth;
    return [low, ridge, high].filter((x) => x >= low && x <= high).sort((a, b) => a - b).map((x) => [x, at(x, peak)]);
  };
  const list = [{name: `dense peak ${digits3(peaks.dense)}`, data: line(peaks.dense)}];
  if (peaks.sparse > peaks.dense) list.push({name: `sparse peak ${digits3(peaks.sparse)}`, data: line(peaks.sparse)});
  return list;
}

export function rooflineView(group, onrow) {
  const points = pointsOf(group);
  if (points.length === 0) return h('p', {}, 'No GEMM moved data.');
  const machine = group.study.config.machines?.find((one) => one.name === group.machine);
  const dtype = group.rows.find((row) => row.macs > 0).dtype;
  const peaks = peaksOf(machine, dtype, group.totals[0].clock_mhz);
  const low = 10 ** Math.floor(Math.log10(Math.min(...points.map((one) => one.x))));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...points.map((one) => one.x)) * 1.01));
  const lines = peaks ? roofs(peaks, low, high) : [];

  const build = ({text, axis, tooltip, legend, colour, narrow, alone, legendLines}) => {
    const scatter = phases.flatMap(([phase, symbol]) => [false, true].map((sparse) => ({
      type: 'scatter', name: `${phase}, ${sparse ? 'sparse' : 'dense'}`, symbol, symbolSize: narrow ? 7 : 9,
      itemStyle: {color: colour(sparse ? 'fast' : 'quiet'), opacity: 0.75, borderColor: colour('page'), borderWidth: 0.5},
      data: points.filter(({row}) => row.phase === phase && row.ran_sparse === sparse)
        .map((point) => ({value: [point.x, point.y], point})),
    }))).filter((series) => series.data.length > 0);
    return {
      textStyle: text,
      legend: {...legend, top: 0, left: 0, right: 0, data: scatter.map((one) => one.name)},
      grid: {left: 8, right: 24, top: 24 * legendLines(scatter.map((one) => one.name)) + 26, bottom: 42, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
      tooltip: {...tooltip, formatter: ({data, seriesName}) => (data?.point ? tip(
        `${data.point.row.layer}, ${data.point.row.phase}`,
        [['', `${data.point.row.m}×${data.point.row.n}×${data.point.row.k}, ${data.point.row.hardware_pattern}`],
         ['', `${digits3(data.point.y)} TFLOP/s, ${digits3(data.point.x)} FLOP per byte`],
         ['speedup', factor(data.point.row.speedup)],
         ['limited by', words(data.point.row.bound_by)], ['schemes', data.point.schemes.join(', ')]])
        : tip(seriesName, []))},
      xAxis: {...axis, type: 'log', min: low, max: high, name: 'FLOP per byte of DRAM', nameLocation: 'middle', nameGap: 26},
      yAxis: {...axis, type: 'log', name: 'TFLOP/s', nameTextStyle: {...axis.nameTextStyle, align: 'left'}},
      series: [...lines.map((line, i) => ({
        type: 'line', name: line.name, data: line.data, symbol: 'none', silent: true, z: 1,
        lineStyle: {color: colour(i === 0 ? 'quiet' : 'fast'), width: 1.5},
        endLabel: {show: true, formatter: line.name, ...text, align: 'right', offset: [-6, alone && i === 0 ? 8 : -10]},
      })), ...scatter],
    };
  };
  return h('div', {}, chart({
    build, height: ({narrow}) => (narrow ? 380 : 460), many: true, label: `roofline of ${titleOf(group)}`,
    numbers: {columns: ['layer', 'phase', 'ran', 'schemes', 'FLOP per byte of DRAM', 'TFLOP/s', 'speedup'],
              rows: points.map(({x, y, row, schemes}) => [row.layer, row.phase, row.hardware_pattern, schemes.join(' '), x, y, row.speedup])},
    onclick: ({data}) => data?.point && onrow(data.point.row),
  }).element, h('p', {class: 'note'}, 'Every GEMM of every scheme. TFLOP/s count skipped zeros (dense-equivalent); ' +
    'bytes are what moved through DRAM, so a point may lie above the slope of another that reads its operands from L2.'));
}
