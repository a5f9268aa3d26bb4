// Curves with bands from the least to the most run.

import {chart, tip} from './charts.js';
import {chosenCurves} from './chosen_curves.js';
import {digits3} from './format.js';

const tones = ['quiet', 'gemm2', 'kind5', 'pruning', 'kind1', 'kind3', 'kind9', 'kind7', 'kind4', 'gemm1', 'kind10', 'kind2'];

function band(name, points, fill) {
  const edge = [...points.map((one) => [one.x, one.most]), ...points.map((one) => [one.x, one.least]).reverse()];
  return {
    type: 'custom', name, silent: true, clip: true, z: 1, data: [[points[0].x, points[0].mean]],
    renderItem: (_, api) => ({type: 'polygon', shape: {points: edge.map((one) => api.coord(one))}, style: {fill, opacity: 0.16}}),
    itemStyle: {color: fill},   // of the legend
  };
}

/** What of an axis is shown: dragged at its ends. */
const slider = (colour) => ({type: 'slider', filterMode: 'none', showDetail: false, brushSelect: false, borderColor: colour('grid'), fillerColor: 'rgba(128, 128, 128, .2)',
                             backgroundColor: 'transparent', handleStyle: {color: colour('raised'), borderColor: colour('quiet')}, moveHandleSize: 0, showDataShadow: false});

/** Least and most value of an axis: all values, or of a long way up only its last four fifths. */
export function valueRange(curves, target) {
  const values = curves.flatMap((one) => one.points.map((point) => point.mean)).sort((a, b) => a - b);
  const low = values[Math.floor(values.length / 5)];
  const [least, most] = [Math.min(low, target ?? low), Math.max(values.at(-1), target ?? values.at(-1))];
  const room = 0.08 * (most - least) || 1;
  return [least - room, most + room];
}

/**
 * @param curves [{name, points: [{x, mean, least, most}]}]; least and most may be missing
 * @param first names of those that are shown first if there are many
 */
export function curveChart({curves, first, xName, yName, target, label}) {
  const {ordered: shown, selected} = chosenCurves(curves, first);
  const [min, max] = valueRange(shown, target);
  const build = ({text, axis, tooltip, legend, colour, narrow, alone, legendLines}) => ({
    textStyle: text,
    legend: {...legend, top: 0, left: 0, right: 0, selected, data: shown.map((one) => one.name)},
    grid: {left: 8, right: 36, top: 24 * legendLines(shown.map((one) => one.name), true) + 28, bottom: alone ? 40 : 62,
           outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
    tooltip: {...tooltip, trigger: 'item', formatter: ({seriesName, value}) =>
      tip(seriesName, [[`${digits3(value[0])} ${xName}:`, digits3(value[1])]])},
    dataZoom: [{...slider(colour), xAxisIndex: 0, height: 14, bottom: 6}, {...slider(colour), yAxisIndex: 0, width: 14, right: 6}],
    xAxis: {...axis, type: 'value', name: xName, nameLocation: 'middle', nameGap: 26, splitNumber: narrow ? 4 : 8},
    yAxis: {...axis, type: 'value', min, max, name: yName, nameTextStyle: {...axis.nameTextStyle, align: 'left'},
            axisLabel: {...axis.axisLabel, formatter: digits3, showMinLabel: false, showMaxLabel: false}},
    series: shown.flatMap((one, i) => [
      ...(one.points[0].most > one.points[0].least ? [band(one.name, one.points, colour(tones[i % tones.length]))] : []),
      {type: 'line', name: one.name, symbol: 'circle', symbolSize: 4, showSymbol: one.points.length < 200, z: 2,
       lineStyle: {width: 2, color: colour(tones[i % tones.length])}, itemStyle: {color: colour(tones[i % tones.length])},
       data: one.points.map((point) => [point.x, point.mean]),
       markLine: i > 0 || target === null || target === undefined ? undefined : {
         silent: true, symbol: 'none', lineStyle: {color: colour('text'), type: 'dashed'}, data: [{yAxis: target}],
         label: {formatter: `target ${target}`, position: 'insideStartTop', ...text}}},
    ]),
  });
  const numbers = {columns: ['curve', xName, yName, 'least', 'most'], rows: shown.flatMap(({name, points}) => points.map(({x, mean, least, most}) => [name, x, mean, least, most]))};
  return chart({build, height: ({narrow}) => (narrow ? 340 : 420), label, numbers});
}
