import assert from 'node:assert/strict';
import {test} from 'node:test';

import {answerOf} from '../../page/src/answer.js';
import {decodeTable, flatten, readDocuments} from '../../page/src/data.js';
import {layerTree} from '../../page/src/layer_tree.js';
import {peaksOf, pointOf, pointsOf} from '../../page/src/roofline.js';
import {density, denseTime, groupsOf, hasMachinesWithoutLibraries, kindsOf, partsOf, timeOf, withBestKernels} from '../../page/src/study.js';
import {waitsOf} from '../../page/src/waits.js';
import {gemm, kernel, sparse} from './rows.mjs';

test('columns become rows again', () => {
  assert.deepEqual(decodeTable({rows: 2, columns: {a: [1, 2], 'b.c': {all: 'x'}, d: {values: [null, 5], index: [1, 0]}}}),
    [{a: 1, 'b.c': 'x', d: 5}, {a: 2, 'b.c': 'x', d: null}]);
  const [document] = readDocuments('{"documents":[{"file":"f","list":[1],"t":{"rows":1,"columns":{"a":{"all":7}}}}]}');
  assert.deepEqual(document, {file: 'f', list: [1], t: [{a: 7}]});
});

test('a configuration flattens to its leaves', () => {
  assert.deepEqual(flatten({a: {b: [1, {c: null}]}, d: {}, e: 'x'}), [
    {key: 'a.b.0', value: 1}, {key: 'a.b.1.c', value: null}, {key: 'd', value: '{}'}, {key: 'e', value: 'x'}]);
});

test('patterns and weights', () => {
  assert.equal(density('2:4'), 0.5);
  assert.equal(density('1:8'), 0.125);
  assert.equal(density('4:8 pairs'), 0.5);
  assert.equal(density('dense'), 1);
  assert.equal(timeOf(gemm({cycles: 30, repeat: 4, every: 10})), 12);
});

const total = (changes) => ({
  machine: 'm', network: 'n', scheme: 's', pass: 'training', clock_mhz: 1000, complete: true, speedup: 1.25, verdict: 'faster',
  'speedup_interval.low': 1.2, 'speedup_interval.high': 1.3, 'step.time_us': 8000, 'step.dense_time_us': 10000, 'step.failed': 0,
  share_of_training: 1, 'training.time_us': changes['step.time_us'] ?? 8000, 'forward.time_us': 1,
  'dgrad.time_us': 2, 'wgrad.time_us': 3, 'kinds.optimizer.time_us': 9, 'kinds.softmax.time_us': 4, 'kinds.bias.time_us': 0,
  'kinds.pruning.time_us': 5, 'kinds.casts.time_us': 6, ...changes,
});
const dense = total({scheme: 'dense', speedup: 1, 'step.time_us': 10000, 'kinds.pruning.time_us': 0});

test('every total knows the dense step', () => {
  assert.equal(denseTime({totals: [total({})]}), 10000);
  assert.equal(denseTime({totals: [total({'step.failed': 1, 'step.dense_time_us': 7}), total({})]}), 10000);
});

test('groups are machines, networks and passes', () => {
  const study = {totals: [dense, total({}), total({pass: 'inference'})],
                 results: [gemm({}), gemm({phase: 'inference'}), gemm({network: 'other'})]};
  const groups = groupsOf(study);
  assert.deepEqual(groups.map((one) => [one.pass, one.schemes, one.rows.length]),
    [['training', ['dense', 's'], 1], ['inference', ['s'], 1]]);
});

test('parts of a step: GEMMs, other work by size, the optimizer and pruning last', () => {
  const group = {pass: 'training', totals: [dense, total({})]};
  assert.deepEqual(kindsOf(group), ['casts', 'softmax', 'optimizer', 'pruning']);
  assert.deepEqual(partsOf(group, total({})).map((one) => [one.name, one.kind, one.us]), [
    ['forward', 'gemm', 1], ['dgrad', 'gemm', 2], ['wgrad', 'gemm', 3], ['casts', 'other', 6], ['softmax', 'other', 4],
    ['optimizer', 'other', 9], ['pruning', 'work', 5]]);
});

test('the answer says what is saved, and what the hardware skips', () => {
  const group = {machine: 'm', network: 'n', pass: 'training', totals: [dense, total({})], rows: [sparse({})]};
  assert.deepEqual(answerOf(group), {
    headline: 'n on m: the best scheme saves 20 % of a step, not 50 %',
    details: 's: 8.00 ms instead of 10.0 ms, 1.25× (between 1.20× and 1.30×). 1 of its 1 products ran sparse.'});
  const rows = [sparse({repeat: 3}), sparse({repeat: 2, ran_sparse: false}), sparse({pattern: 'dense', ran_sparse: false})];
  assert.match(answerOf({...group, rows}).details, / 3 of its 5 products ran sparse\.$/);
  assert.match(answerOf({...group, totals: [dense, total({speedup: 1.001, verdict: 'as dense'})]}).headline, /the best takes as long as dense$/);
  assert.match(answerOf({...group, totals: [dense, total({verdict: 'not told apart', speedup: 1.01})]}).headline,
    /no scheme can be told apart from dense; the best may save 1 %/);
  assert.match(answerOf({...group, totals: [dense, total({speedup: 0.8})]}).headline, /no scheme saves time; the best takes 25.0 % longer/);
  assert.deepEqual(answerOf({...group, totals: [dense, total({speedup: 1, verdict: 'as dense', 'step.time_us': 10000})]}), {
    headline: 'n on m: no scheme saves time; the best takes as long as dense', details: 's: 10.0 ms instead of 10.0 ms, 1.00×. 1 of its 1 products ran sparse.'});
  assert.equal(answerOf({...group, totals: [dense, total({share_of_training: 0.5, speedup: 10 / 9, 'training.time_us': 9000})]}).details,
    's: 9.00 ms in the mean of a training instead of 10.0 ms, 1.11× (between 1.20× and 1.30×). 1 of its 1 products ran sparse.');
  assert.equal(answerOf({...group, totals: [dense]}).headline, 'n on m: a dense step takes 10.0 ms');
  assert.match(answerOf({...group, totals: [dense, total({'step.failed': 2})]}).headline, /a dense step takes/);
});

test('machines with libraries are also shown with all kernels, if some without stand beside them', () => {
  const own = total({beside: [{stack: 'cuda12_search', speedup: 2}, {stack: 'best', speedup: 3}]});
  assert.equal(withBestKernels(own), 3);
  assert.equal(hasMachinesWithoutLibraries({totals: [own]}), false);
  assert.equal(hasMachinesWithoutLibraries({totals: [own, total({beside: []})]}), true);
  assert.equal(hasMachinesWithoutLibraries({totals: [total({})]}), false);
});

test('layers: GEMMs by layer and phase, other kernels by kind; nothing without time', () => {
  const tree = layerTree([gemm({repeat: 2}), sparse({phase: 'dgrad', cycles: 50}), kernel({cycles: 10, dense_cycles: 20}),
                          kernel({layer: 'other', cycles: 5, dense_cycles: 0}), kernel({kind: 'loss', cycles: 0})]);
  assert.deepEqual(tree.map((one) => [one.name, one.isGemm, one.time, one.dense, one.children.map((leaf) => leaf.name)]), [
    ['l', true, 250, 300, ['forward', 'dgrad']], ['activation', false, 15, 20, ['relu']]]);
});

const machine = {clock_mhz: 1000, accelerator: {num_sms: 10, dram: {bytes_per_clk: 500}, sm: {
  sub_cores: 4, operand_selector: {native_patterns: ['2:4'], native_patterns_by_type: [{dtype: 'tf32', patterns: ['1:8']}]},
  tensor_core: {multipliers: [{dtype: 'fp16', fma_per_clk: 256}, {dtype: 'tf32', fma_per_clk: 128}]}}}};

test('peaks of a machine', () => {
  // 2 x 256 x 4 x 10 FLOP a clock at 1 GHz: 20.48 TFLOP/s
  assert.deepEqual(peaksOf(machine, 'fp16', 1000), {bandwidth: 500e9, dense: 20.48, sparse: 40.96});
  assert.deepEqual(peaksOf(machine, 'tf32', 500), {bandwidth: 500e9, dense: 5.12, sparse: 40.96});
  assert.equal(peaksOf(machine, 'int8', 1000), null);
});

test('points of a roofline', () => {
  const row = gemm({macs: 1e6, cycles: 1000, 'traffic.dram_read_bytes': 3000, 'traffic.dram_write_bytes': 1000});
  assert.deepEqual(pointOf({...row, time_us: 1}), {x: 500, y: 2});
  assert.equal(pointOf({...row, macs: 0}), null);
  const points = pointsOf({totals: [{clock_mhz: 1000}], rows: [row, {...row, scheme: 't'}, {...row, cycles: 500}]});
  assert.deepEqual(points.map((one) => one.schemes), [['s', 't'], ['s']]);
});

test('waits of a row, largest first', () => {
  assert.deepEqual(waitsOf({'waits.dram.busy': 250, 'waits.dram.idle': 750, 'waits.l2.busy': null, cycles: 4}),
    [{unit: 'dram', buckets: [{name: 'idle', share: 0.75}, {name: 'busy', share: 0.25}]}]);
});
