// A design (stcsim.design/1): the machine that does what was asked, and what had to grow for it.

import {chart, tip} from './charts.js';
import {designAnswer, grown, resourceName, stairs} from './design.js';
import {h, section} from './dom.js';
import {digits3, factor, percent, plain, ticks, time, words} from './format.js';
import {intervalBars} from './interval_bars.js';
import {seriesBars} from './series_bars.js';
import {columnsOf, table} from './table.js';

/** Gain against area, step by step: no machine lies between two steps. */
function staircase(steps, goal) {
  const [least, most] = [Math.min, Math.max].map((end) => end(...steps.map((one) => one.area)));
  const room = 0.05 * (most - least) || 0.05;
  const speedups = steps.map((one) => one.speedup);
  const build = ({text, axis, tooltip, colour, narrow}) => ({
    textStyle: text,
    grid: {left: 8, right: 24, top: 28, bottom: 42, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
    tooltip: {...tooltip, formatter: ({dataIndex}) => tip(dataIndex === 0 ? 'the first machine' : `step ${dataIndex}: ${steps[dataIndex].grows.join(', ')}`,
      [['speedup', factor(steps[dataIndex].speedup)], ['area', `${digits3(steps[dataIndex].area)} of the first machine’s`]])},
    xAxis: {...axis, type: 'value', min: least - room, max: most + room, name: 'area, of the first machine’s', nameLocation: 'middle', nameGap: 26, splitNumber: narrow ? 4 : 8,
            axisLabel: {...axis.axisLabel, formatter: ticks(least, most), showMinLabel: false, showMaxLabel: false, hideOverlap: true}},
    yAxis: {...axis, type: 'value', scale: true, name: 'speedup', nameTextStyle: {...axis.nameTextStyle, align: 'left'}, axisLabel: {...axis.axisLabel, formatter: ticks(Math.min(...speedups), Math.max(...speedups), '×')}},
    series: [{type: 'line', step: 'end', data: steps.map((one) => [one.area, one.speedup]), symbol: 'circle', symbolSize: 8,
              lineStyle: {color: colour('fast'), width: 2}, itemStyle: {color: colour('fast')},
              label: {show: true, position: 'top', ...text, formatter: ({dataIndex}) => (dataIndex === 0 ? '' : String(dataIndex))}, labelLayout: {hideOverlap: true},
              markLine: goal ? {silent: true, symbol: 'none', lineStyle: {color: colour('text'), type: 'dashed'}, data: [{yAxis: goal}],
                                label: {formatter: `asked for: ${factor(goal)}`, position: 'insideStartTop', ...text}} : undefined}],
  });
  return chart({build, height: ({narrow}) => (narrow ? 320 : 400), label: 'speedup against area, step by step',
    numbers: {columns: ['grown', 'area, of the first machine’s', 'speedup'], rows: steps.map(({grows, area, speedup}) => [grows.join(' '), area, speedup])}});
}

const machineFacts = (machine) => [['speedup', factor(machine.speedup)], ['of dense on the first machine', factor(machine.speedup_over_base)], ['time', time(machine.time_us)],
  ['dense', time(machine.dense_time_us)], ['area', `${digits3(machine.area_ratio)}, ${digits3(machine.area_mm2)} mm²`],
  ['power', machine.watts > 0 ? `${Math.round(machine.watts)} W` : ''], ['DRAM', `${plain(machine.dram_gb_per_s)} GB/s`],
  ['limited by', Object.entries(machine.bound_by).map(([unit, share]) => `${words(unit)} ${percent(share)}`).join(', ')]];

const facts = (machine) => h('dl', {class: 'facts'}, machineFacts(machine).filter(([, value]) => value !== '')
  .map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));

const gainSeries = [['gain_alone', 'alone, on the first machine', 'gemm3'], ['gain_in_answer', 'in the answer', 'fast'], ['gain_beyond', 'beyond the answer', 'quiet']];

export function designSection(design, {suffix}) {
  const steps = stairs(design);
  const more = grown(design);
  const goal = design.question.kind === 'cheapest' ? design.question.at_least : null;
  const resources = design.resources;
  return {
    answers: [designAnswer(design)],
    element: section(`design${suffix}`, `Design: ${design.space}`, facts(design.answer),
      design.answer.reasons.map((one) => h('p', {class: 'note'}, one)),
      steps.length > 1 && [h('h3', {}, 'The way up'),
        h('p', {class: 'note'}, 'Each step grows what gains most for its area. Areas: ', design.area_table, '; what the table has no area for costs nothing here.'),
        staircase(steps, goal).element,
        h('ol', {class: 'way'}, steps.slice(1).map((one) => h('li', {}, one.grows.join(', '), h('span', {class: 'about'}, ` ${factor(one.speedup)} at ${digits3(one.area)}`))))],
      more.length > 0 && [h('h3', {}, 'What had to grow'),
        intervalBars({unit: 'times as much', label: 'what had to grow', bars: more.map((one) =>
          ({name: one.name, value: one.factor, interval: null, about: one.area > 0 ? `alone at its largest ${percent(one.area)} more area` : 'no area known'}))}).element],
      [h('h3', {}, 'What each is worth'),
        h('p', {class: 'note'}, 'Time that is saved where this alone is at its largest: on the first machine, on the answer; and what the answer would lose without it.'),
        seriesBars({names: resources.map(resourceName), axisName: 'gain, %', label: 'what each resource is worth',
                    series: gainSeries.map(([key, name, tone]) => ({name, tone, values: resources.map((one) => 100 * one[key])})),
                    tell: (value, {name}) => [`${name}:`, percent(value / 100)]}).element],
      h('h3', {}, 'Machines'), table({name: 'way', rows: [design.base, ...design.way, design.answer, design.largest].map((one, i, all) => ({
        machine: i === 0 ? 'first' : i === all.length - 2 ? 'answer' : i === all.length - 1 ? 'largest' : `step ${i}`,
        speedup: one.speedup, 'over the first': one.speedup_over_base, time_us: one.time_us, 'area, mm²': one.area_mm2, watts: one.watts})),
      columns: [{key: 'machine', title: 'machine'}, {key: 'speedup', title: 'speedup', format: factor}, {key: 'over the first', title: 'over the first', format: factor},
                {key: 'time_us', title: 'time', format: time}, {key: 'area, mm²', title: 'area, mm²'}, {key: 'watts', title: 'watts'}], sortBy: null}),
      h('h3', {}, 'The work'), table({name: 'work', rows: design.work, columns: columnsOf(design.work)})),
  };
}
