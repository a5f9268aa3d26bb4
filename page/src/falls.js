// A waterfall as lines of text and bars, which wrap on a phone and print as they are.

import {savable} from './charts.js';
import {h} from './dom.js';
import {factor} from './format.js';
import {stepOf} from './paper_axis.js';

const lossText = (step) => {
  const change = step.to - step.from;
  if (Math.abs(change) < 0.0005) return '0';
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(Math.abs(change) < 0.095 ? 3 : 2)}`;
};

const kindOf = (step) => {
  if (step.kind === 'level') return step.to >= 1 ? 'level' : 'level slower';
  return step.to < step.from ? 'loss' : 'gain';
};

const valueText = (step) => (step.kind === 'level' ? factor(step.to) : lossText(step));
const tones = {level: 'fast', 'level slower': 'slow', loss: 'slow', gain: 'gemm3'};

/** The same as a chart, to be saved. */
export function fallsFigure(steps, label) {
  const shape = (step, {text, colour}, api, i) => {
    const [x1, x2] = [step.from, step.to].map((value) => api.coord([value, i])[0]).sort((a, b) => a - b);
    const y = api.coord([1, i])[1];
    const one = api.coord([1, i])[0];
    const half = api.size([0, 1])[1] / 2;
    return {type: 'group', children: [
      {type: 'rect', shape: {x: x1, y: y - 7, width: Math.max(1, x2 - x1), height: 14}, style: {fill: colour(tones[kindOf(step)]), stroke: colour('text'), lineWidth: 0.5}},
      {type: 'line', shape: {x1: one, y1: y - half, x2: one, y2: y + half}, style: {stroke: colour('quiet'), lineWidth: 1}},
      {type: 'text', style: {text: valueText(step), x: x2 + 4, y, fill: text.color, verticalAlign: 'middle', font: `${step.kind === 'level' ? 'bold ' : ''}${text.fontSize}px ${text.fontFamily}`}}]};
  };
  const values = [1, ...steps.flatMap((step) => [step.from, step.to])];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = stepOf(most - least || 1);
  const build = (context) => ({
    textStyle: context.text,
    grid: {left: 4, right: 40, top: 4, bottom: 40, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
    xAxis: {...context.axis, type: 'value', name: 'speedup over dense', nameLocation: 'middle', nameGap: 24, min: step * Math.floor(least / step + 1e-9), max: step * Math.ceil(most / step - 1e-9), interval: step,
            axisLabel: {...context.axis.axisLabel, formatter: (value) => String(Number(value.toPrecision(6))), hideOverlap: true}},
    yAxis: {...context.axis, type: 'category', inverse: true, data: steps.map(({name}) => name.replaceAll(' %', '\u00a0%')), axisLine: {show: false}, axisTick: {show: false},
            axisLabel: {...context.text, interval: 0, width: context.narrow ? 150 : 260, overflow: 'break', lineHeight: 12}},
    series: [{type: 'custom', clip: false, data: steps.map(({from, to}, i) => [from, to, i]), encode: {x: [0, 1], y: 2}, renderItem: (_, api) => shape(steps[api.value(2)], context, api, api.value(2))}],
  });
  return {build, label, height: ({narrow}) => 48 + steps.length * Math.max(18, 6 + 12 * Math.max(...steps.map(({name}) => Math.ceil(name.length * 6.4 / (narrow ? 135 : 250))))),
          numbers: {columns: ['line', 'kind', 'from, times dense', 'to, times dense'], rows: steps.map(({name, kind, from, to}) => [name, kind, from, to])}};
}

/** @param steps [{kind: 'level'|'loss', name, from, to, help}], speedups over dense */
export function falls(steps, label) {
  const values = steps.flatMap((step) => [step.from, step.to]);
  const low = Math.min(1, ...values);
  const high = Math.max(1, ...values);
  const place = (value) => 100 * (value - low) / (high - low || 1);
  const lines = steps.map((step) => {
    const [left, right] = [step.from, step.to].map(place).sort((a, b) => a - b);
    return h('div', {class: `fall ${step.kind}`, role: 'row'},
      h('span', {class: 'name', role: 'cell', title: step.help ?? null}, step.name),
      h('span', {class: 'track', 'aria-hidden': 'true'},
        h('span', {class: `bar ${kindOf(step)}`, style: {left: `${left}%`, width: `max(2px, ${right - left}%)`}}),
        h('span', {class: 'one', style: {left: `${place(1)}%`}})),
      h('span', {class: 'value', role: 'cell'}, valueText(step)));
  });
  return savable(h('div', {class: 'falls', role: 'table', 'aria-label': label}, lines), fallsFigure(steps, label));
}
