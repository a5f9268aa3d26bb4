// Charts of a sweep: a Pareto front, parallel coordinates, what each axis does.

import {chart, tip} from './charts.js';
import {digits3, plain, ticks, words} from './format.js';
import {largestIsBest} from './sweep.js';

const tones = ['kind1', 'kind5', 'kind3', 'gemm1', 'pruning', 'kind7', 'gemm3', 'kind2', 'kind4', 'kind9'];
const better = (column, names) => `${names[column] ?? words(column)} (${largestIsBest(column) ? 'more' : 'less'} is better)`;

/** Every row, those of each front joined. @param names of axes @param by axis whose values have a colour each, or '' */
export function frontChart({rows, fronts, axes, names, x, y, by}) {
  const known = rows.filter((row) => typeof row[x] === 'number' && typeof row[y] === 'number');
  const groups = by === '' ? [''] : [...new Set(known.map((row) => String(row[by])))];
  const inside = new Set(fronts.flat());
  const labels = (key) => {
    const values = known.map((row) => row[key]);
    return ticks(Math.min(...values), Math.max(...values));
  };
  const build = ({text, axis, tooltip, legend, colour, narrow, legendLines}) => ({
    textStyle: text,
    legend: {...legend, show: by !== '', top: 0, left: 0, right: 0, data: groups},
    grid: {left: 8, right: 24, top: (by === '' ? 8 : 24 * legendLines(groups)) + 26, bottom: 42,
           outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
    tooltip: {...tooltip, formatter: ({data}) => data?.row && tip(`point ${data.row.point}`, [
      ...axes.filter((one) => data.row[one] !== undefined && data.row[one] !== null).map((one) => [`${names[one]}:`, plain(data.row[one])]),
      [`${words(x)}:`, plain(data.row[x])], [`${words(y)}:`, plain(data.row[y])]])},
    xAxis: {...axis, type: 'value', scale: true, name: better(x, names), nameLocation: 'middle', nameGap: 26, axisLabel: {...axis.axisLabel, hideOverlap: true, formatter: labels(x)}},
    yAxis: {...axis, type: 'value', scale: true, name: better(y, names), nameTextStyle: {...axis.nameTextStyle, align: 'left'}, axisLabel: {...axis.axisLabel, formatter: labels(y)}},
    series: [
      ...fronts.map((front) => ({type: 'line', step: 'end', name: 'not beaten', data: front.map((row) => [row[x], row[y]]), symbol: 'none', silent: true, z: 1, lineStyle: {color: colour('quiet'), width: 1.5}})),
      ...groups.map((group, i) => ({
        type: 'scatter', name: group, symbolSize: (_, {data}) => (data.inFront ? (narrow ? 9 : 11) : narrow ? 4 : 6),
        itemStyle: {color: colour(by === '' ? 'gemm2' : tones[i % tones.length]), opacity: 0.75},
        data: known.filter((row) => by === '' || String(row[by]) === group).map((row) => ({value: [row[x], row[y]], row, inFront: inside.has(row)})),
      }))],
  });
  return chart({build, height: ({narrow}) => (narrow ? 380 : 460), many: true, label: `${words(y)} over ${words(x)}`,
    numbers: {columns: [...new Set(['point', ...axes, by, x, y])].filter(Boolean), rows: known.map((row) => [...new Set(['point', ...axes, by, x, y])].filter(Boolean).map((key) => row[key]))}});
}

const mostTicks = 12;
/** The values that there are, in their order. */
const valuesOf = (rows, key) => [...new Set(rows.map((row) => row[key]))].sort((a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : 0));

/** A line per row across all axes, coloured by a column. */
export function parallelChart({rows, axes, names, columns, by}) {
  const dimensions = [...axes, ...columns];
  const isText = (key) => rows.some((row) => typeof row[key] !== 'number') || (axes.includes(key) && valuesOf(rows, key).length <= mostTicks);
  const values = rows.map((row) => row[by]).filter((value) => typeof value === 'number');
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const build = ({text, axis, colour, narrow}) => ({
    textStyle: text,
    visualMap: {show: false, dimension: dimensions.indexOf(by), min: least, max: most, inRange: {color: [colour('slow'), colour('line'), colour('fast')]}},
    parallel: narrow ? {left: 20, right: 124, top: 16, bottom: 30, layout: 'vertical'} : {left: 60, right: 80, top: 40, bottom: 20, layout: 'horizontal'},
    parallelAxis: dimensions.map((key, dim) => ({
      dim, name: names[key] ?? words(key), type: isText(key) ? 'category' : 'value', ...(isText(key) ? {data: valuesOf(rows, key).map(String)} : {scale: true}),
      nameTextStyle: {...axis.nameTextStyle, fontSize: 11, width: 110, overflow: 'break'}, nameTruncate: narrow ? {maxWidth: 100, ellipsis: '…'} : undefined, axisLine: axis.axisLine, axisTick: axis.axisTick,
      axisLabel: {...axis.axisLabel, fontSize: 10}})),
    series: [{type: 'parallel', lineStyle: {width: 1, opacity: rows.length > 500 ? 0.25 : 0.5}, inactiveOpacity: 0.03,
              data: rows.map((row) => dimensions.map((key) => (isText(key) ? String(row[key]) : row[key])))}],
  });
  return chart({build, height: ({narrow}) => (narrow ? 40 + 62 * dimensions.length : 420), many: true, label: 'parallel coordinates of all points'});
}

/** How far each axis alone moves a column. @param list of sensitivity() */
export function sensitivityChart({list, names, column}) {
  const ends = list.map(({effects}) => [...effects].sort((a, b) => a.factor - b.factor));
  const bars = ends.map((effects, i) => [effects[0].factor, effects.at(-1).factor, i]);
  const build = ({text, axis, tooltip, colour, narrow, alone}) => ({
    textStyle: text,
    grid: {left: 4, right: narrow ? 40 : 110, top: 8, bottom: 42, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
    tooltip: {...tooltip, formatter: ({dataIndex}) => tip(list[dataIndex].axis,
      list[dataIndex].effects.map(({value, factor}) => [`${plain(value)}:`, `${digits3(factor)}×`]))},
    xAxis: {...axis, type: 'log', logBase: 2, min: (range) => Math.min(0.9, range.min * 0.9), max: (range) => Math.max(1.1, range.max * 1.1), name: `times the mean ${words(column)}`,
            nameLocation: 'middle', nameGap: 26, axisLabel: {...axis.axisLabel, formatter: (value) => `${digits3(value)}×`, hideOverlap: true}},
    yAxis: {...axis, type: 'category', inverse: true, data: list.map((one) => names[one.axis]), axisLabel: {...text, width: narrow ? 100 : 240, overflow: 'truncate'}},
    series: [{type: 'custom', data: bars, encode: {x: [0, 1], y: 2}, renderItem: (_, api) => {
      const effects = ends[api.value(2)];
      const [x1, y] = api.coord([api.value(0), api.value(2)]);
      const [x2] = api.coord([api.value(1), api.value(2)]);
      const label = (value, x, align) => ({type: 'text', style: {text: plain(value), x, y, fill: text.color, textAlign: align, textVerticalAlign: 'middle',
                                                                 font: `${text.fontSize}px ${text.fontFamily}`}});
      return {type: 'group', children: [
        {type: 'rect', shape: {x: x1, y: y - 7, width: Math.max(2, x2 - x1), height: 14}, style: {fill: colour('gemm2')}},
        ...(narrow && !alone ? [] : [label(effects.at(-1).value, x2 + 6, 'left')])]};
    }}],
  });
  return chart({build, height: Math.max(130, 70 + list.length * 30), label: `what each axis does to ${words(column)}`,
    numbers: {columns: ['axis', 'value', `times the mean ${words(column)}`], rows: list.flatMap(({axis: name, effects}) => effects.map(({value, factor}) => [name, value, factor]))}});
}
