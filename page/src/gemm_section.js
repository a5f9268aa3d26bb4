// One GEMM (stcsim.gemm/1), and why it takes as long as it does (stcsim.explain/2).

import {chainSteps} from './chain.js';
import {chart, tip} from './charts.js';
import {details} from './details.js';
import {h, section} from './dom.js';
import {falls} from './falls.js';
import {count, factor, percent, time, wholePercent} from './format.js';

/** A GEMM in the shape of a study's result. */
export function resultOf(gemm, from = gemm) {
  const row = {...gemm, kind: 'gemm', layer: `${gemm.m}×${gemm.n}×${gemm.k}`, phase: gemm.dtype, scheme: '', repeat: 1, every: 1,
               cycles: from.cycles, utilization: from.utilization, sparse_operand: gemm.ran_sparse ? 'A' : 'none',
               reason: gemm.reason ?? '', time_us: from.time_us, speedup: from === gemm ? gemm.speedup ?? 1 : 1,
               dense_cycles: gemm.dense_cycles ?? from.cycles, dense_time_us: (gemm.dense ?? from).time_us};
  for (const [key, value] of Object.entries(from.kernel)) row[`kernel.${key}`] = value;
  for (const [key, value] of Object.entries(from.traffic)) row[`traffic.${key}`] = value;
  for (const [unit, {instances, ...buckets}] of Object.entries(from.buckets)) {
    for (const [name, cycles] of Object.entries(buckets)) {
      row[`waits.${unit}.${name}`] = Math.round(1000 * cycles / (instances * from.cycles));
    }
  }
  return row;
}

const problem = (gemm) => `GEMM ${gemm.m}×${gemm.n}×${gemm.k} ${gemm.dtype}, A ${gemm.pattern}, on ${gemm.machine}`;

export function gemmSection(gemm, {explanations, suffix}) {
  const clocksOf = (from) => ({own: from.sustained_clock_mhz, dense: (gemm.dense ?? gemm).sustained_clock_mhz});
  const row = {...resultOf(gemm), scheme: `A ${gemm.pattern}`};
  const headline = gemm.speedup === null || gemm.pattern === 'dense'
    ? `${problem(gemm)}: ${time(gemm.time_us)}, ${wholePercent(gemm.percent_of_peak / 100)} of peak`
    : `${problem(gemm)}: ${factor(gemm.speedup)} as fast as dense`;
  const dense = gemm.dense && {...resultOf(gemm, gemm.dense), scheme: 'dense baseline', pattern: 'dense',
                               hardware_pattern: 'dense', sparse_operand: 'none', bound_by: '', reason: ''};
  return {
    answers: [{headline, details: `${time(gemm.time_us)}${gemm.dense ? ` instead of ${time(gemm.dense.time_us)}` : ''}; ` +
      `${gemm.achieved_tflops.toFixed(0)} of ${gemm.peak_tflops.toFixed(0)} TFLOP/s; limited by ${gemm.bound_by.replaceAll('_', ' ')}.`}],
    element: section(`gemm${suffix}`, problem(gemm), details(row, clocksOf(gemm), explanations), dense && details(dense, clocksOf(gemm.dense), new Map())),
  };
}

function shareChart(explanation, savedOf) {
  const rows = explanation.counterfactuals.filter((one) => savedOf(one, 'free') !== null || savedOf(one, 'doubled') !== null);
  const build = ({text, axis, tooltip, legend, colour, narrow}) => ({
    textStyle: text,
    legend: {...legend, top: 0, left: 0, data: ['it cost nothing', 'there were twice as much']},
    grid: {left: 4, right: 30, top: 34, bottom: 40, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
    tooltip: {...tooltip, trigger: 'axis', axisPointer: {type: 'shadow'}, formatter: (items) =>
      tip(rows[items[0].dataIndex].what, items.filter((one) => one.value !== null)
        .map((one) => [`if ${one.seriesName}:`, `${percent(one.value / 100)} less`]))},
    xAxis: {...axis, type: 'value', name: 'time saved, %', nameLocation: 'middle', nameGap: 26},
    yAxis: {...axis, type: 'category', inverse: true, data: rows.map((one) => one.what),
            axisLabel: {...text, width: narrow ? 120 : 260, overflow: 'break', lineHeight: 14}},
    series: [['it cost nothing', 'free', 'fast'], ['there were twice as much', 'doubled', 'quiet']].map(([name, key, tone]) => ({
      type: 'bar', name, itemStyle: {color: colour(tone)}, barMaxWidth: 9,
      data: rows.map((one) => savedOf(one, key))})),
  });
  return chart({build, height: 80 + rows.length * 36, label: 'time saved if it were not so'});
}

export function explainSection(explanation, {suffix}) {
  const isSparse = explanation.all.speedup !== null;
  const saved = (one, key) => (one[`${key}.time_us`] > 0 ? 100 - 100 * one[`${key}.time_us`] / explanation.all.time_us : null);
  return {
    answers: [{headline: problem(explanation), details: explanation.answer}],
    element: section(`explain${suffix}`, `Why: ${problem(explanation)}`,
      h('p', {class: 'why'}, explanation.answer),
      isSparse && falls(chainSteps(explanation), 'where the gain goes'),
      h('p', {class: 'note'}, `${count(explanation.all.cycles)} cycles at ${Math.round(explanation.all.clock_mhz)} MHz. In this order: each line ` +
        'adds to the machine of the lines above what it really has; all the rest costs nothing there. In another order the lines ' +
        'differ. Alone: what the whole GEMM would be spared if only that cost nothing.'),
      h('h3', {}, 'If it were not so (simulated)'), shareChart(explanation, saved).element),
  };
}
