// What the pages of machines say: the block diagram, designs, energies and areas, the atlas.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {commandOf, stepsOf, tally} from '../../page/src/atlas.js';
import {areasOf, energyByUnit} from '../../page/src/cost.js';
import {csvRows, sweepOfPoints} from '../../page/src/data.js';
import {designAnswer, grown, stairs} from '../../page/src/design.js';
import {machineOf, operandBytes} from '../../page/src/machine.js';

test('an instruction takes kept values of A, all of B, and numbers of the kept ones', () => {
  assert.deepEqual(operandBytes('mma.sp.m16n8k32', 'fp16', '2:4'), {a: 16 * 32 * 2 / 2, b: 32 * 8 * 2, metadata: 16 * 8 * 2 * 2 / 8});
  assert.deepEqual(operandBytes('mma.m16n8k16', 'int8', 'dense'), {a: 256, b: 128, metadata: 0});
  assert.deepEqual(operandBytes('mma.sp.m16n8k64', 'fp16', '1:8'), {a: 256, b: 1024, metadata: 16 * 8 * 3 / 8});
  assert.equal(operandBytes('fma', 'fp16', 'dense'), null);
});

const busy = (cycles, instances = 1) => ({instances, busy: cycles});
const gemm = {
  dtype: 'fp16', hardware_pattern: '2:4', cycles: 1000, sustained_clock_mhz: 500, mma_instructions: 80,
  kernel: {instruction: 'mma.sp.m16n8k32'},
  traffic: {dram_read_bytes: 40000, dram_write_bytes: 10000, l2_read_bytes: 96000, l2_write_bytes: 8000, shared_memory_read_bytes: 64000},
  buckets: {dram: busy(250), l2_cache_read: busy(100), memory_bus_read: busy(600, 2), memory_bus_write: busy(50, 2), register_file: busy(960, 8), operand_selector: busy(640, 8),
            multipliers: busy(640, 8), shared_memory: {instances: 2, fill: 200, fetch: 500, staging: 100, idle: 1200}},
  config: {machine: {clock_mhz: 1000, accelerator: {num_sms: 2, dram: {bytes_per_clk: 100}, l2_cache: {read_bytes_per_clk: 192, write_bytes_per_clk: 64},
    memory_bus: {sm_read_bytes_per_clk: 64, sm_write_bytes_per_clk: 32}, sm: {sub_cores: 4, shared_memory: {banks: 32, bank_bytes: 4},
      operand_fetch: {register_bytes_per_clk: 192}, operand_selector: {b_bytes_per_clk: 64}}}}},
};

test('every way has its bytes in a cycle, and the most that it takes', () => {
  const {units, ways} = machineOf(gemm);
  assert.deepEqual(units.map(({name, busy: share}) => [name, share]), [['DRAM', 0.25], ['L2 cache', 0.1], ['memory bus', 0.3], ['shared memory', 0.4],
    ['register file', 0.12], ['operand selector', 0.08], ['multipliers', 0.08]]);
  // DRAM has a clock of its own: at half of the machine's it gives twice as much in a cycle.
  assert.deepEqual(ways.map(({down}) => [down.bytes, down.peak]), [[40, 200], [96, 192], [0.3 * 64, 64], [32, 128], [0.01 * 1088, 192], [0.01 * 512, 64]]);
  assert.deepEqual(ways.slice(0, 3).map(({up}) => [up.bytes, up.peak]), [[10, 200], [8, 64], [0.025 * 32, 32]]);
});

test('a dense GEMM passes no selector, and what has no limit has no peak', () => {
  const unlimited = structuredClone(gemm);
  unlimited.config.machine.accelerator.sm.operand_fetch.register_bytes_per_clk = 0;
  const {units, ways} = machineOf({...unlimited, hardware_pattern: 'dense', kernel: {instruction: 'mma.m16n8k16'}});
  assert.deepEqual(units.map(({name}) => name).slice(-2), ['register file', 'multipliers']);
  assert.equal(ways.length, units.length - 1);
  assert.equal(ways.at(-1).down.peak, null);
});

const machine = (area, speedup) => ({area_ratio: area, speedup, speedup_over_base: speedup, joules: 1, watts: 10});
const design = {
  space: 's', question: {kind: 'cheapest', at_least: 2, share_of_ideal: null, budgets: {}, against: 'same'}, is_reached: true, machines: 8, machines_simulated: 5,
  base: machine(1, 1.2), answer: machine(1.5, 2.1), largest: machine(2, 2.2), way: [{...machine(1.5, 2.1), grows: ['b_bytes']}],
  resources: [{name: 'b_bytes', 'values.machine.accelerator.sm.operand_selector.b_bytes': [1, 2], level: 1, factor: 2, area_alone: 0.5},
              {name: 'DRAM', 'values.machine.accelerator.dram.bytes_per_clk': [1, 2], level: 0, factor: 1, area_alone: 0}],
};

test('a design is its answer, the steps to it, and what has grown', () => {
  assert.equal(designAnswer(design).headline, 's: 2.10× for 1.50 of the area');
  assert.match(designAnswer({...design, is_reached: false}).headline, /2\.00× cannot be reached; nearest is 2\.10×/);
  assert.deepEqual(stairs(design), [{grows: [], area: 1, speedup: 1.2}, {grows: ['operand selector: b bytes'], area: 1.5, speedup: 2.1}]);
  assert.deepEqual(grown(design), [{name: 'operand selector: b bytes', factor: 2, area: 0.5}]);
});

test('energies are summed by unit, areas of an SM taken as often as there are SMs', () => {
  assert.deepEqual(energyByUnit([{unit: 'a', joules: 1, dense_joules: 5}, {unit: 'b', joules: 3, dense_joules: null}, {unit: 'a', joules: 1, dense_joules: 1}]),
    [{unit: 'a', own: 2, dense: 6}, {unit: 'b', own: 3, dense: 0}]);
  assert.deepEqual(areasOf({sm_um2: 3, sms: 10}, [{um2: 1}, {um2: 2}, {um2: 7}]).map((one) => one.um2), [10, 20, 7]);
});

test('a cell of the atlas has its waterfall, its command and its place in the tally', () => {
  const cell = {network: 'n', machine: 'm', scheme: 's', framework: 'f', fall: [0, 2, 1, 1.5, 2, 1.5], low: 1.1, high: 1.3, speedup: 1.2};
  assert.deepEqual(stepsOf(cell, ['level:peak', 'loss:dram: far', 'level:step']), [{kind: 'level', name: 'peak', from: 1, to: 2},
    {kind: 'loss', name: 'dram: far', from: 2, to: 1.5}, {kind: 'level', name: 'step', from: 1, to: 1.5}]);
  assert.equal(commandOf(cell, 'f'), 'stcsim run --network n --arch m --schemes s');
  assert.equal(commandOf(cell, 'g'), 'stcsim run --network n --arch m --schemes s --framework f');
  const fitting = [cell, {low: 0.8, high: 0.9}, {low: 0.9, high: 1.1}, {low: null, high: null}].map((one) => ({...one, fits: true}));
  assert.deepEqual(tally([...fitting, {...cell, fits: false}]), {faster: 1, slower: 1, open: 2, misfits: 1, all: 5});
});

test('a CSV text is rows of numbers and texts', () => {
  assert.deepEqual(csvRows('name,value\r\na,1.5\r\n"b, ""c""",\n'), [{name: 'a', value: 1.5}, {name: 'b, "c"', value: null}]);
  assert.deepEqual(csvRows('a,b\n1,x'), [{a: 1, b: 'x'}]);
});

test('points of a sweep have the axes that they say; what changes together is one', () => {
  const point = (sms, slices, k) => ({'axes.sms': sms, 'axes.slices': slices, 'axes.gemm': k, 'figures.speedup': 2, 'axes.network': null});
  const sweep = sweepOfPoints({schema: 'stcsim.points/1', file: 's.sqlite', points: [point('4', '80', 'one'), point('8', '40', 'one'), point('4', '80', 'two')]});
  assert.equal(sweep.space, 's');
  assert.deepEqual(sweep.rows[1], {point: 2, kind: 'gemm', sms: 8, slices: 40, gemm: 'one', speedup: 2, network: null});
  assert.deepEqual(sweep.axes.slice(0, 3).map(({name, dimension}) => [name, dimension]), [['sms', 1], ['slices', 1], ['gemm', 3]]);
});
