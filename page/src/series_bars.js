// Bars of several kinds for each of several things: beside each other, or one behind the other.

import {chart, tip} from './charts.js';

/**
 * @param names of the things, which may take several lines
 * @param series [{name, tone, values: one for each thing, null for none}]
 * @param most of the axis, where the largest value does not say
 * @param tell (value, series) => [name, value] of a tooltip's line
 */
export function barsFigure({names, series: all, axisName, label, tell, stacked = false, wide = 260, most}) {
  const series = all.filter((one) => one.values.some((value) => value !== null && value !== undefined));
  const legendHeight = ({legendLines}) => 22 * legendLines(series.map((one) => one.name)) + 8;
  const lines = ({narrow, alone}) => Math.max(...names.map((name) => Math.ceil(name.length * 7 / (narrow ? 110 : wide - 10)) + (narrow && !alone ? 1 : 0)), 1);
  const rowHeight = (context) => (context.alone ? Math.max(stacked ? 28 : 6 + 9 * series.length, 4 + 12 * lines(context))
    : Math.max(stacked ? 40 : 10 + 11 * series.length, 8 + 14 * lines(context)));
  const build = (context) => {
    const {text, axis, tooltip, legend, colour, narrow, alone} = context;
    return {
      textStyle: text,
      legend: {...legend, top: 0, left: 0, right: 0, data: series.map((one) => one.name)},
      grid: {left: 4, right: 30, top: legendHeight(context) + 4, bottom: 40, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
      tooltip: {...tooltip, trigger: 'axis', axisPointer: {type: 'shadow'}, formatter: (items) => tip(names[items[0].dataIndex],
        items.filter((one) => one.value !== null && one.value !== undefined).map((one) => tell(one.value, series[one.seriesIndex])))},
      xAxis: {...axis, type: 'value', max: most, name: axisName, nameLocation: 'middle', nameGap: 26, splitNumber: narrow ? 3 : 6, axisLabel: {...axis.axisLabel, hideOverlap: true}},
      yAxis: {...axis, type: 'category', inverse: true, data: names, axisLabel: {...text, width: narrow ? 120 : wide, overflow: 'break', lineHeight: alone ? 12 : 14}},
      series: series.map((one) => ({type: 'bar', name: one.name, stack: stacked ? 'all' : undefined, itemStyle: {color: colour(one.tone)},
                                    barMaxWidth: stacked ? 24 : 9, data: one.values})),
    };
  };
  return {build, height: (context) => legendHeight(context) + 50 + names.length * rowHeight(context), label};
}

export const seriesBars = (bars) => chart(barsFigure(bars));
