// One GEMM (stcsim.gemm/1), and why it takes as long as it does (stcsim.explain/2).

import {chainSteps} from './chain.js';
import {details} from './details.js';
import {h, section} from './dom.js';
import {falls} from './falls.js';
import {count, factor, percent, time, wholePercent} from './format.js';
import {machineOf} from './machine.js';
import {machineView} from './machine_view.js';
import {seriesBars} from './series_bars.js';

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

/** The machine as it ran this, beside the same with a dense A. */
export function machines(gemm) {
  const runs = [[gemm.dense ? `A ${gemm.pattern}` : '', gemm], ...(gemm.dense ? [['A dense', gemm.dense]] : [])];
  return [h('h3', {}, 'What the machine did'),
    h('p', {class: 'note'}, 'From memory at the top to the multipliers: how much of the launch each unit was at work, and what came over each ' +
      'way in a cycle, in the mean of the launch, of the most that it takes. Down: operands; up: results.'),
    h('div', {class: 'panels'}, runs.map(([title, from]) => h('div', {class: 'panel'}, title && h('h4', {}, title), machineView(machineOf(gemm, from), ['what the machine did', title].filter(Boolean).join(', ')).element)))];
}

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
    element: section(`gemm${suffix}`, problem(gemm), gemm.config?.machine && machines(gemm), details(row, clocksOf(gemm), explanations), dense && details(dense, clocksOf(gemm.dense), new Map())),
  };
}

/** Whether what is explained is a gain: a GEMM that ran dense has none. */
const aboutGain = ({all, hardware_pattern: hardware}) => all.speedup !== null && hardware !== 'dense';

/** What each change of the machine is worth, in per cent: of the gain, where there is one, else of the time. */
export function worthChart(explanation) {
  const isGain = aboutGain(explanation);
  const worthOf = (one, key) => {
    if (!(one[`${key}.time_us`] > 0)) return null;
    return isGain ? 100 * one[`${key}.speedup`] / explanation.all.speedup - 100 : 100 - 100 * one[`${key}.time_us`] / explanation.all.time_us;
  };
  const rows = explanation.counterfactuals.filter((one) => worthOf(one, 'free') !== null || worthOf(one, 'doubled') !== null);
  const series = [['it cost nothing', 'free', 'fast'], ['there were twice as much', 'doubled', 'quiet']]
    .map(([name, key, tone]) => ({name, tone, values: rows.map((one) => worthOf(one, key))}));
  const axisName = isGain ? 'gain raised, %' : 'time saved, %';
  return seriesBars({names: rows.map((one) => one.what), series, axisName, label: `${axisName.split(',')[0]} if it were not so`,
                     tell: (value, {name}) => [`if ${name}:`, `${percent(value / 100)} ${isGain ? 'more gain' : 'less'}`]});
}

const gainOrder = 'How much higher the gain over dense is, both on the machine so changed. Last comes what is no cause of the gain: the clock, ' +
  'other kernels, and the multipliers, whose gain it is.';

export function explainSection(explanation, {suffix}) {
  const isSparse = explanation.all.speedup !== null;
  return {
    answers: [{headline: problem(explanation), details: explanation.answer}],
    element: section(`explain${suffix}`, `Why: ${problem(explanation)}`,
      h('p', {class: 'why'}, explanation.answer),
      isSparse && falls(chainSteps(explanation), 'where the gain goes'),
      h('p', {class: 'note'}, `${count(explanation.all.cycles)} cycles at ${Math.round(explanation.all.clock_mhz)} MHz. In this order: each line ` +
        'adds to the machine of the lines above what it really has; all the rest costs nothing there. In another order the lines ' +
        'differ. Alone: what the whole GEMM would be spared if only that cost nothing.'),
      h('h3', {}, 'If it were not so (simulated)'), aboutGain(explanation) && h('p', {class: 'note'}, gainOrder),
      worthChart(explanation).element),
  };
}
