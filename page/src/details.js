// What is known of one result: kernel, traffic, waits of each unit, and why, if it was asked.

import {chainSteps} from './chain.js';
import {savable} from './charts.js';
import {h} from './dom.js';
import {falls} from './falls.js';
import {bytes, count, factor, percent, time, words} from './format.js';
import {barsFigure} from './series_bars.js';
import {isGemm} from './study.js';
import {barOrder, bucketClass, inBarOrder, waitsOf} from './waits.js';

/** What a GEMM is asked for: the same of a result and of an explanation. */
export const questionOf = (row, dtype = row.dtype, pattern = row.pattern) =>
  JSON.stringify([row.machine, row.m, row.n, row.k, row.batch_count, dtype, pattern]);

const tones = {busy: 'fast', waits: 'slow', idle: 'neutral'};

function waitsFigure(units, label) {
  const sum = ({buckets}, kind) => buckets.filter(({name}) => bucketClass(name) === kind).reduce((all, {share}) => all + 100 * share, 0);
  return {...barsFigure({names: units.map(({unit}) => words(unit)), label, stacked: true, most: 100, axisName: 'cycles, %', tell: () => [],
                         series: barOrder.map((name) => ({name, tone: tones[name], values: units.map((one) => sum(one, name))}))}),
          numbers: {columns: ['unit', 'bucket', 'kind', 'share of cycles'],
                    rows: units.flatMap(({unit, buckets}) => buckets.map(({name, share}) => [unit, name, bucketClass(name), share]))}};
}

function waitTable(row, title) {
  const units = waitsOf(row).filter((one) => one.buckets.some(({name, share}) => name !== 'idle' && name !== 'starved' && share > 0));
  const lines = units.map(({unit, buckets}) => h('tr', {}, h('th', {scope: 'row'}, words(unit)),
    h('td', {class: 'stack'}, h('div', {class: 'shares', 'aria-hidden': 'true'}, inBarOrder(buckets).map(({name, share}) =>
      h('span', {class: bucketClass(name), style: {width: `${100 * share}%`}, title: `${words(name)} ${percent(share)}`})))),
    h('td', {}, buckets.filter(({share}) => share >= 0.02).map(({name, share}) => `${words(name)} ${(100 * share).toFixed(1)} %`).join(', '))));
  const caption = 'Where the cycles of each unit went';
  const pane = h('div', {class: 'pane'}, h('table', {class: 'waits'}, h('caption', {}, caption), h('tbody', {}, lines)));
  return units.length > 0 ? savable(pane, waitsFigure(units, `${caption}: ${title}`)) : pane;
}

const facts = (pairs) => h('dl', {class: 'facts'}, pairs.filter(([, value]) => value !== '' && value !== null)
  .map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));

/** Cycles are of the clock of their side. */
const cyclesText = (cycles, clock) => `${count(cycles)} at ${Math.round(clock)} MHz`;

function gemmFacts(row, clocks) {
  return [
    ['GEMM', `${row.m}×${row.n}×${row.k} ${row.dtype}${row.batch_count > 1 ? `, ${row.batch_count} at once` : ''}`],
    ['pattern', row.pattern === row.hardware_pattern ? row.pattern : `${row.pattern}, runs ${row.hardware_pattern}`],
    ['sparse operand', row.sparse_operand === 'none' ? '' : words(row.sparse_operand)],
    ['time', `${time(row.time_us)} × ${row.repeat}`], ['cycles', cyclesText(row.cycles, clocks.own)],
    ['dense', time(row.dense_time_us)], ['dense cycles', cyclesText(row.dense_cycles, clocks.dense)],
    ['speedup', factor(row.speedup)], ['limited by', words(row.bound_by)],
    ['kernel', row['kernel.name']], ['instruction', row['kernel.instruction']],
    ['CTAs', `${count(row['kernel.ctas'])}, split-k ${row['kernel.split_k']}, ${row['kernel.waves']?.toFixed(2)} waves`],
    ['multipliers used', percent(row.utilization)],
    ['DRAM', `${bytes(row['traffic.dram_read_bytes'])} read, ${bytes(row['traffic.dram_write_bytes'])} written`],
    ['L2', `${bytes(row['traffic.l2_read_bytes'])} read, ${bytes(row['traffic.l2_hit_bytes'])} hit`],
    ['metadata', row['traffic.metadata_bytes'] > 0 ? bytes(row['traffic.metadata_bytes']) : ''],
    ['note', row.reason],
  ];
}

function otherFacts(row) {
  return [['kernel', row.op], ['kind', words(row.kind)], ['layer', row.layer],
          ['time', `${time(row.time_us)} × ${row.repeat}${row.every > 1 ? `, every ${row.every} steps` : ''}`],
          ['dense', row.scheme_work ? 'nothing in its place' : time(row.dense_time_us)],
          ['limited by', words(row.bound_by)],
          ['DRAM', `${bytes(row['traffic.dram_read_bytes'])} read, ${bytes(row['traffic.dram_write_bytes'])} written`],
          ['note', row.reason]];
}

/** The command that says why this GEMM takes as long as it does. */
export function explainCommand(row) {
  const dtype = row.dtype === 'fp16' ? '' : ` --dtype ${row.dtype}`;
  const batch = row.batch_count > 1 ? ` --batch-count ${row.batch_count}` : '';
  const pattern = row.pattern === 'dense' ? '' : ` --sparsity '${row.pattern}'`;
  return `stcsim explain --arch ${row.machine} --m ${row.m} --n ${row.n} --k ${row.k}${dtype}${batch}${pattern}`;
}

/**
 * @param clocks {own, dense} in MHz
 * @param explanations Map from questionOf() to documents of stcsim.explain/2
 */
export function details(row, clocks, explanations) {
  const gemm = isGemm(row);
  const why = gemm ? explanations.get(questionOf(row)) : undefined;
  const title = gemm ? `${row.layer}, ${row.phase} (${row.scheme})` : `${row.op} (${row.scheme})`;
  return h('div', {class: 'details'},
    h('h3', {}, title),
    why && h('p', {class: 'why'}, h('strong', {}, 'Why: '), why.answer),
    why && why.all.speedup !== null && h('details', {}, h('summary', {}, 'Where its gain goes'),
      falls(chainSteps(why), `where the gain of ${row.layer} goes`)),
    facts(gemm ? gemmFacts(row, clocks) : otherFacts(row)),
    gemm && !why && h('p', {class: 'note'}, 'Why: ', h('code', {}, explainCommand(row))),
    waitTable(row, title));
}
