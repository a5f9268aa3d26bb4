import assert from 'node:assert/strict';
import {test} from 'node:test';

import {waterfall} from '../../page/src/waterfall.js';
import {gemm, kernel, sparse} from './rows.mjs';

const shape = (steps) => steps.map((step) => [step.kind, step.name, Number(step.from.toFixed(6)), Number(step.to.toFixed(6))]);

test('every loss from a multiplication to the step, by hand', () => {
  // Sparse: dense 2x200 + 100 = 500 cycles, ideal 250. They take 2x120 + 60 = 300: 40 lost to last_wave, 10 to dram.
  // wgrad adds 300 on both sides, a kernel 200, pruning 50.
  const steps = waterfall([
    sparse({repeat: 2, dense_cycles: 200, cycles: 120, bound_by: 'last_wave'}),
    sparse({phase: 'dgrad', dense_cycles: 100, cycles: 60, bound_by: 'dram'}),
    gemm({phase: 'wgrad', dense_cycles: 300, cycles: 300}),
    kernel({dense_cycles: 200, cycles: 200}),
    kernel({op: 'prune', kind: 'pruning', scheme_work: true, dense_cycles: 0, cycles: 50}),
  ]);
  const at = (dense, cycles) => Number((dense / cycles).toFixed(6));
  assert.deepEqual(shape(steps), [
    ['level', 'a multiplication', 1, 2],
    ['loss', 'last_wave', 2, at(500, 290)],
    ['loss', 'dram', at(500, 290), at(500, 300)],
    ['level', 'the GEMMs that run sparse', 1, at(500, 300)],
    ['loss', 'wgrad stays dense', at(500, 300), at(800, 600)],
    ['level', 'all GEMMs', 1, at(800, 600)],
    ['loss', 'activation', at(800, 600), at(1000, 800)],
    ['level', 'a step, were pruning not charged', 1, at(1000, 800)],
    ['loss', "the scheme's own pruning", at(1000, 800), at(1000, 850)],
    ['level', 'a step', 1, at(1000, 850)],
  ]);
});

test('a pattern that has to run dense is named, and rows of every n-th step count by their share', () => {
  const steps = waterfall([
    sparse({dense_cycles: 80, cycles: 40}),
    gemm({phase: 'dgrad', pattern: '4:8', dense_cycles: 40, cycles: 40}),
    kernel({op: 'mask', kind: 'pruning', scheme_work: true, dense_cycles: 0, cycles: 100, every: 10}),
  ]);
  assert.deepEqual(shape(steps).filter(([kind]) => kind === 'loss').map(([, name, , to]) => [name, to]), [
    ['dgrad: 4:8 has to run dense', 1.5], ["the scheme's own pruning", Number((120 / 90).toFixed(6))]]);
});

test('what is fused into a kernel counts as pruning', () => {
  const steps = waterfall([sparse({cycles: 50}), kernel({fused_work: true, dense_cycles: 100, cycles: 130})]);
  const levels = Object.fromEntries(steps.filter((one) => one.kind === 'level').map((one) => [one.about, one.to]));
  assert.equal(levels.free, 200 / 150);
  assert.equal(levels.step, 200 / 180);
});

test('a scheme that is sparse for half of training averages times, not speedups', () => {
  const steps = waterfall([sparse({dense_cycles: 100, cycles: 50})], 0.5);
  assert.deepEqual(steps.at(-1), {kind: 'level', name: 'all steps of a training', about: 'training', from: 1, to: 100 / 75});
});

test('what the device waits for the host in sparse steps, it waits in these', () => {
  const steps = waterfall([sparse({dense_cycles: 100, cycles: 50}),
                           kernel({kind: 'launches', op: 'launches', dense_cycles: 0, cycles: 10})], 0.5);
  assert.equal(steps.at(-1).to, 100 / (0.5 * 60 + 0.5 * 100));
});

test('levels are quotients of times, whatever the cycles', () => {
  const steps = waterfall([sparse({dense_cycles: 100, cycles: 50, dense_time_us: 90, time_us: 60})]);
  assert.equal(steps.at(-1).to, 1.5);
});

test('many small losses are put together', () => {
  const rows = Array.from({length: 9}, (_, i) => sparse({bound_by: `limit${i}`, dense_cycles: 100, cycles: 60 - i}));
  const names = waterfall(rows).filter((one) => one.kind === 'loss').map((one) => one.name);
  assert.deepEqual(names, ['limit0', 'limit1', 'limit2', 'limit3', 'limit4', 'other limits']);
});

test('nothing sparse has no waterfall', () => {
  assert.equal(waterfall([gemm({}), kernel({})]), null);
});
