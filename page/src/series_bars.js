// Bars of several kinds for each of several things: beside each other, or one behind the other.

import {chart, tip} from './charts.js';

/**
 * @param names of the things, which may take several lines
 * @param series [{name, tone, values: one for each thing, null for none}]
 * @param tell (value, series) => [name, value] of a tooltip's line
 */
export function seriesBars({names, series: all, axisName, label, tell, stacked = false, wide = 260}) {
  const series = all.filter((one) => one.values.some((value) => value !== null && value !== undefined));
  const perLine = (width) => Math.max(1, Math.floor(width / 150));
  const legendHeight = (width) => 22 * Math.ceil(series.length / perLine(width)) + 8;
  const lines = (narrow) => Math.max(...names.map((name) => Math.ceil(name.length * 7 / (narrow ? 110 : wide - 10)) + (narrow ? 1 : 0)), 1);
  const rowHeight = (narrow) => Math.max(stacked ? 40 : 10 + 11 * series.length, 8 + 14 * lines(narrow));
  const build = ({text, axis, tooltip, legend, colour, narrow, width}) => ({
    textStyle: text,
    legend: {...legend, top: 0, left: 0, right: 0, data: series.map((one) => one.name)},
    grid: {left: 4, right: 30, top: legendHeight(width) + 4, bottom: 40, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
    tooltip: {...tooltip, trigger: 'axis', axisPointer: {type: 'shadow'}, formatter: (items) => tip(names[items[0].dataIndex],
      items.filter((one) => one.value !== null && one.value !== undefined).map((one) => tell(one.value, series[one.seriesIndex])))},
    xAxis: {...axis, type: 'value', name: axisName, nameLocation: 'middle', nameGap: 26, splitNumber: narrow ? 3 : 6, axisLabel: {...axis.axisLabel, hideOverlap: true}},
    yAxis: {...axis, type: 'category', inverse: true, data: names, axisLabel: {...text, width: narrow ? 120 : wide, overflow: 'break', lineHeight: 14}},
    series: series.map((one) => ({type: 'bar', name: one.name, stack: stacked ? 'all' : undefined, itemStyle: {color: colour(one.tone)},
                                  barMaxWidth: stacked ? 24 : 9, data: one.values})),
  });
  return chart({build, height: ({width, narrow}) => legendHeight(width) + 50 + names.length * rowHeight(narrow), label});
}
