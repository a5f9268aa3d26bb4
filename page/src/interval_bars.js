// Bars with intervals.

import {chart, tip} from './charts.js';
import {digits3} from './format.js';

/** @param bars [{name, value, interval: [low, high] or null, about}]; value null: not known; high null: without an end, drawn to the edge */
export function intervalBars({bars, unit, label, format = digits3, tone = 'gemm2'}) {
  const labelOf = (one) => (one.value === null ? 'not reached' : `${format(one.value)} ${unit}${one.interval?.[1] === null ? ', or never' : ''}`);
  const build = ({text, axis, tooltip, colour, narrow}) => ({
    textStyle: text,
    grid: {left: 4, right: narrow ? 16 : 150, top: 8, bottom: 40, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
    tooltip: {...tooltip, formatter: ({dataIndex}) => {
      const one = bars[dataIndex];
      return tip(one.name, [['', `${one.value === null ? '–' : format(one.value)} ${unit}`],
        ['95 %:', one.interval ? `${format(one.interval[0])} to ${one.interval[1] === null ? 'never' : format(one.interval[1])}` : 'no interval'], ['', one.about ?? '']]);
    }},
    xAxis: {...axis, type: 'value', name: unit, nameLocation: 'middle', nameGap: 26, min: 0, splitNumber: narrow ? 3 : 6},
    yAxis: {...axis, type: 'category', inverse: true, data: bars.map((one) => one.name),
            axisLabel: {...text, width: narrow ? 110 : 240, overflow: 'truncate'}},
    series: [
      {type: 'bar', barMaxWidth: 16, itemStyle: {color: colour(tone)}, data: bars.map((one) => one.value)},
      {type: 'custom', z: 3, silent: true, data: bars.map((one, i) => [one.interval?.[0] ?? one.value ?? 0, one.interval?.[1] ?? one.value ?? 0, i]),
       encode: {x: [0, 1], y: 2}, renderItem: ({coordSys}, api) => {
         const one = bars[api.value(2)];
         const edge = one.interval?.[1] === null ? coordSys.x + coordSys.width : null;
         return whisker(api, text, narrow ? '' : labelOf(one), edge);
       }},
    ],
  });
  const numbers = {columns: ['name', unit, 'from', 'to'], rows: bars.map(({name, value, interval}) => [name, value, ...(interval ?? [null, null])])};
  return chart({build, height: Math.max(120, 70 + bars.length * 32), label, numbers});
}

/** The interval, if there is one, and a text behind it. @param edge where one without an end ends in an arrow, or null */
function whisker(api, font, label, edge) {
  const stroke = font.color;
  const [low, high, index] = [api.value(0), api.value(1), api.value(2)];
  const [x1, y] = api.coord([low, index]);
  const x2 = edge ?? api.coord([high, index])[0];
  const line = (a, b, c, d) => ({type: 'line', shape: {x1: a, y1: b, x2: c, y2: d}, style: {stroke, lineWidth: 1.5}});
  const end = edge === null ? [line(x2, y - 4, x2, y + 4)] : [line(x2, y, x2 - 6, y - 4), line(x2, y, x2 - 6, y + 4)];
  const interval = x2 > x1 ? [line(x1, y, x2, y), line(x1, y - 4, x1, y + 4), ...end] : [];
  return {type: 'group', children: [...interval, {type: 'text', style: {
    text: label, x: x2 + 8, y, fill: stroke, font: `${font.fontSize}px ${font.fontFamily}`, verticalAlign: 'middle'}}]};
}
