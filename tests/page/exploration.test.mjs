// Arithmetic of the exploration's report (scripts/exploration).

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {assumed, assumptionSpace, effects} from '../../scripts/exploration/assumptions.mjs';
import {costTable, machinesOf, smallest, selectorTable, widthsTable} from '../../scripts/exploration/gemms.mjs';
import {goalTable, orderTable} from '../../scripts/exploration/design.mjs';
import {machineOf, naiveMachine} from '../../scripts/exploration/machine_yaml.mjs';
import {change, table, times} from '../../scripts/exploration/markdown.mjs';
import {recommendedMachine, recommendedPattern} from '../../scripts/exploration/recommend.mjs';
import {grownText, growth, limitOf, patterns, resources} from '../../scripts/exploration/sweeps.mjs';
import {meanSteps} from '../../scripts/exploration/steps.mjs';

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-12, `${a} is not ${b}`);
const width = (values) => Object.fromEntries(resources.map(({axis, name}) => [axis, values[name] ?? 10]));

test('figures as they are written', () => {
  assert.equal(limitOf('4:32'), 8);
  assert.equal(times(1.006), '1.01×');
  assert.equal(change(-0.0312), '−3.1 %');
  assert.equal(table([{title: 'a'}, {title: 'b', right: true}], [['x', '1']]), '| a | b |\n| --- | ---: |\n| x | 1 |');
});

test('growth is over the least of each resource', () => {
  const rows = [width({selector: 64, L2: 100}), width({selector: 256, L2: 200})];
  const factors = growth(rows)(rows[1]);
  assert.deepEqual(factors, {selector: 4, 'shared memory': 1, bus: 1, L2: 2, DRAM: 1});
  assert.equal(grownText(factors), 'selector ×4, L2 ×2');
  assert.equal(grownText(growth(rows)(rows[0])), 'nothing');
});

const gemm = (pattern, name, selector, area, speedup, joules = 1) =>
  ({machine: 'base', 'gemm.pattern': pattern, gemm: name, area_mm2: area, speedup, joules, dense_joules: 2, bound_by: 'last_wave', ...width({selector})});

test('machines are compared by all their GEMMs, and the smallest that does is taken', () => {
  const rows = [gemm('2:8', 'a', 64, 100, 1), gemm('2:8', 'b', 64, 100, 4), gemm('2:8', 'a', 128, 110, 3), gemm('2:8', 'b', 128, 110, 3),
                gemm('2:8', 'a', 256, 120, 3.2), gemm('2:8', 'b', 256, 120, 3.2)];
  const machines = machinesOf(rows);
  assert.deepEqual(machines.map((one) => one.area), [100, 110, 120]);
  near(machines[0].speedup, 2);
  near(machines[0].energy, 0.5);
  assert.equal(smallest(machines, (one) => one.speedup >= 2.9).area, 110);
  assert.equal(smallest(machines, (one) => one.speedup > 4), undefined);
  assert.equal(recommendedMachine(rows, '2:8').area, 110);
  const all = patterns.flatMap((pattern) => rows.map((row) => ({...row, 'gemm.pattern': pattern})));
  assert.match(widthsTable(all), /\| a \| at most 40 %: last wave \| at most 80 %: last wave \| selector ×2 \|/);
  assert.match(costTable(machinesOf(all), 100), /\| 4:8 \| fastest \(within 1 %\) \| selector ×4 \| 3\.20× \| 160 % \| 1\.20× \| 0\.375 \| 0\.50× \| 0\.156 \|/);
});

test('selectors are compared by transistors for each multiplier, over codings and flows', () => {
  const of = (pattern) => `${pattern},crossbar,case,cmos,800\n${pattern},crossbar,case,mux,1600\n${pattern},ordered,part,cmos,600\n${pattern},ordered,part,mux,800\n`;
  const lines = selectorTable(`# made by\npattern,lanes,coding,flow,transistors\n${['2:4', ...patterns].map(of).join('')}`).split('\n');
  assert.equal(lines[2], '| 2:4 | 400 to 800 | 300 to 400 | 25 %, 50 % |');
  assert.equal(lines.find((line) => line.startsWith('| 1:8')), '| 1:8 | 800 to 1600 | 600 to 800 | 25 %, 50 % |');
});

test('of patterns under which steps are as fast, the one that keeps most is recommended', () => {
  const step = (pattern, on_chip, dram, speedup) => ({network: 'n', scheme: 's', framework: 'f', 'scheme.pattern': pattern, speedup, area_mm2: 1,
    ...width({selector: on_chip, 'shared memory': on_chip, bus: on_chip, L2: on_chip, DRAM: dram})});
  const rows = (of) => [[1, 1], [2, 1], [4, 1], [4, 2]].flatMap(([on_chip, dram]) => patterns.map((pattern) => step(pattern, on_chip, dram, of[pattern])));
  const speedups = {'1:8': 1.5, '2:8': 1.48, '4:8': 1.2, '4:16': 1.48, '4:32': 1.5};
  assert.equal(recommendedPattern(rows(speedups)), '2:8');
  assert.equal(recommendedPattern(rows({...speedups, '4:8': 1.475})), '4:8');
  assert.equal(recommendedPattern(rows({...speedups, '2:8': 1.4, '4:16': 1.4})), '1:8');
  assert.deepEqual(meanSteps(rows(speedups)).map(({level}) => level.name), ['widths ×1', '×2', '×4', '×4, DRAM ×2']);
});

test('each assumed number is halved and doubled by itself', () => {
  const lines = assumptionSpace('{name: x}', '[]', ['2:8']).split('\n').filter((line) => line.startsWith('  machine.'));
  assert.equal(lines.length, assumed.length);
  const columns = lines.map((line) => JSON.parse(line.slice(line.indexOf('['))));
  for (let at = 0; at < 1 + 2 * assumed.length; ++at) {
    const changed = columns.filter((column, i) => column[at] !== assumed[i].value).length;
    assert.equal(changed, at === 0 ? 0 : 1);
  }
  const rows = columns[0].map((_, at) => ({...Object.fromEntries(assumed.map(({key}, i) => [`machine.${key}`, columns[i][at]])),
    speedup: 2 * columns[3][at] / assumed[3].value}));
  const [first, ...others] = effects(rows, (row) => row.speedup);
  assert.deepEqual(first, {name: assumed[3].about, low: 0.5, high: 2});
  assert.ok(others.every(({low, high}) => low === 1 && high === 1));
});

test('machines as experiments have them', () => {
  const row = {machine: 'base', 'machine.accelerator.sm.operand_selector.native_patterns': '["2:4"]', 'machine.accelerator.num_sms': 4};
  assert.deepEqual(machineOf(row, 'x', ['2:4', '2:8']), {extends: 'base', name: 'x', accelerator: {sm: {operand_selector: {native_patterns: ['2:4', '2:8']}}, num_sms: 4}});
  assert.equal(naiveMachine('4:32').accelerator.sm.operand_selector.lane_inputs, 32);
});

test('answers of design: the way up, and what is not reached', () => {
  const machine = (speedup, factors) => ({speedup, factors, area_ratio: 1.5, joules: 1, dense_joules: 2, bound_by: {epilogue: 0.6}});
  const design = {question: {at_least: 7.2}, is_reached: false, base: machine(1.7, {}), largest: machine(4.2, {}), answer: machine(4.1, {selector: 4, DRAM: 1}),
                  way: [{grows: ['a', 'b'], gain: 0.125}, {grows: ['c'], gain: 0.06}]};
  assert.match(orderTable([{pattern: '1:8', design}]), /\| 1:8 \| 1\.70× \| a \+ b \(\+12\.5 %\) \| c \(\+6\.0 %\) \| - \| 4\.20× \| epilogue, 60 % of the time \|/);
  assert.match(goalTable([{pattern: '1:8', design}]), /\| 1:8 \| 7\.20× \| no: 4\.10× \| selector ×4 \| 1\.50× \| 0\.50× \|/);
});
