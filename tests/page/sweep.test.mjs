import assert from 'node:assert/strict';
import {test} from 'node:test';

import {ticks} from '../../page/src/format.js';
import {axisNames, groupsOf, largestIsBest, numberColumns, overWork, paretoFront, paretoFronts, patternAxis, sensitivity, shortNames, sweepAnswer, variedAxes} from '../../page/src/sweep.js';

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-12, `${a} is not ${b}`);

test('names are as short as they may be', () => {
  assert.deepEqual(shortNames(['machine.l2.read', 'machine.bus.read', 'gemm.pattern', 'machine']),
    {'machine.l2.read': 'l2.read', 'machine.bus.read': 'bus.read', 'gemm.pattern': 'pattern', machine: 'machine'});
  assert.deepEqual(shortNames(['machine.l2.read', 'gemm.pattern'], groupsOf([{name: 'machine.l2.read', zip: 'L2 cache'}, {name: 'gemm.pattern', zip: ''}])),
    {'machine.l2.read': 'L2 cache', 'gemm.pattern': 'pattern'});
});

test('columns of numbers that differ', () => {
  const rows = [{point: 1, a: 1, same: 2, text: 'x', some: null}, {point: 2, a: 3, same: 2, text: 1, some: 4}, {point: 3, a: 1, same: 2, text: 'y', some: 5}];
  assert.deepEqual(numberColumns(rows), ['a', 'some']);
});

test('a Pareto front: dear and slow points are left out, equal ones stay', () => {
  const row = (area, speedup) => ({area, speedup});
  const rows = [row(3, 2), row(1, 1), row(2, 1), row(3, 3), row(4, 2.5), row(1, 1), row(null, 9), row(5, 4), row(0.5, 1)];
  assert.deepEqual(paretoFront(rows, 'area', 'speedup'), [row(0.5, 1), row(3, 3), row(5, 4)]);
  assert.deepEqual(paretoFront([row(1, 1), row(1, 1)], 'area', 'speedup'), [row(1, 1), row(1, 1)]);
  assert.equal(largestIsBest('dgrad_speedup'), true);
  assert.equal(largestIsBest('time_us'), false);
});

test('each pattern has a front of its own', () => {
  const row = (pattern, area, speedup) => ({'gemm.pattern': pattern, area, speedup});
  const rows = [row('1:8', 1, 3), row('1:8', 2, 4), row('2:8', 1, 1.5), row('2:8', 2, 1.5), row('2:8', 3, 2)];
  assert.equal(patternAxis(rows), 'gemm.pattern');
  assert.deepEqual(paretoFronts(rows, 'area', 'speedup'), [[rows[0], rows[1]], [rows[2], rows[4]]]);
  assert.equal(patternAxis(rows.slice(2)), '');
  assert.deepEqual(paretoFronts(rows.slice(2), 'area', 'speedup'), [[rows[2], rows[4]]]);
});

test('axes have the words of the terminal, and ticks that differ', () => {
  const axes = [{name: 'machine.l2_cache.read_bytes_per_clk', zip: '', title: 'L2 read', unit: 'B/clk'}, {name: 'machine.num_sms', zip: '', title: 'SMs', unit: ''},
    {name: 'machine.a.b', zip: 'both', title: 'a b', unit: ''}, {name: 'gemm.pattern'}];
  assert.deepEqual(Object.values(axisNames(axes)), ['L2 read, B/clk', 'SMs', 'both', 'pattern']);
  for (const [least, most] of [[1, 1.0001], [696.3, 696.6], [1.6, 1.61], [0, 1200], [3, 3.9]]) {
    const label = ticks(least, most, '×');
    const labels = Array.from({length: 6}, (_, i) => label(least + (most - least) * i / 5));
    assert.equal(new Set(labels).size, 6, labels.join(' '));
    assert.ok(labels.every((one) => one.endsWith('×') && one.length < 12), labels.join(' '));
  }
  assert.equal(ticks(2, 2)(2), '2.00');
});

/** By all pairs, on random rows. */
test('a Pareto front is what no other row beats', () => {
  let state = 7;
  const random = () => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor(state / 65536) % 12; };
  for (let round = 0; round < 50; ++round) {
    const rows = Array.from({length: 30}, () => ({area: random(), speedup: random()}));
    const beats = (a, b) => a.area <= b.area && a.speedup >= b.speedup && (a.area < b.area || a.speedup > b.speedup);
    const expected = rows.filter((one) => !rows.some((other) => beats(other, one)));
    const front = paretoFront(rows, 'area', 'speedup');
    assert.equal(front.length, expected.length);
    assert.ok(expected.every((one) => front.includes(one)));
  }
});

test('what an axis does is told apart from what the others do', () => {
  const rows = [];
  for (const a of [1, 2]) for (const b of ['x', 'y', 'z']) rows.push({a, b, speedup: (a === 2 ? 4 : 1) * {x: 1, y: 2, z: 4}[b]});
  const [first, second, ...others] = sensitivity(rows, ['a', 'b', 'none'], 'speedup');
  assert.deepEqual(others, []);
  assert.deepEqual([first.axis, second.axis], ['a', 'b']);
  near(first.span, 4);
  near(second.effects.find((one) => one.value === 'y').factor, 1);
  near(second.effects.find((one) => one.value === 'z').factor, 2);
  assert.deepEqual(sensitivity([{a: 1, b: 1, speedup: 1}, {a: 2, b: 2, speedup: 2}], ['a', 'b'], 'speedup'), []);
});

test('the answer names the fastest point and what matters', () => {
  const rows = [{'gemm.pattern': '2:4', 'machine.l2.read': 1, speedup: 1.5}, {'gemm.pattern': '1:8', 'machine.l2.read': 1, speedup: 2},
                {'gemm.pattern': '1:8', 'machine.l2.read': 2, speedup: 4}, {'gemm.pattern': '2:4', 'machine.l2.read': 2, speedup: 2}];
  const axes = [{name: 'gemm.pattern', dimension: 1}, {name: 'machine.l2.read', dimension: 2}, {name: 'machine', dimension: 3}];
  assert.deepEqual(sweepAnswer({space: 's', missing: 3, axes}, rows), {
    headline: 's: at most 4.00× of dense, in 4 points',
    details: 'With pattern 1:8, read 2. What matters most to the speedup: pattern (1.63×), then read (1.63×). 3 points are not done yet.'});
  assert.deepEqual(sweepAnswer({space: 's', missing: 2, axes}, []), {headline: 's: no point is done', details: '2 points are not done yet.'});
});

test('of axes that go together one stands for all', () => {
  const axes = [{name: 'machine.lanes', dimension: 1}, {name: 'machine.l2', dimension: 2}, {name: 'gemm.pattern', dimension: 1}, {name: 'gemm', dimension: 3}];
  const rows = [{'machine.lanes': 8, 'machine.l2': 1, 'gemm.pattern': '1:8', gemm: 'a'}, {'machine.lanes': 8, 'machine.l2': 2, 'gemm.pattern': '2:8', gemm: 'a'}];
  assert.deepEqual(variedAxes(rows, axes), ['machine.l2', 'gemm.pattern']);
  const zipped = [{name: 'network', dimension: 1}, {name: 'scheme', dimension: 1}];
  assert.deepEqual(variedAxes([{network: 'a', scheme: 's'}, {network: 'b', scheme: 's'}, {network: 'c', scheme: 't'}], zipped), ['network']);
});

/** Doubling DRAM does nothing to one work and doubles the other: points of both in one front would hide that. */
test('points of different work do not compete', () => {
  const axes = [{name: 'machine.dram', values: ['1', '2']}, {name: 'gemm', values: ['a', 'b']}, {name: 'gemm.pattern', values: ['2:4']}];
  const row = (point, dram, gemm, speedup) => ({point, 'machine.dram': dram, gemm, 'gemm.pattern': '2:4', area_mm2: dram, bound_by: gemm, speedup});
  const rows = [row(1, 1, 'a', 4), row(2, 1, 'b', 1), row(3, 2, 'a', 4), row(4, 2, 'b', 4), row(5, 3, 'a', 9)];
  const means = overWork(rows, axes);
  assert.deepEqual(means.map((one) => [one.point, one['machine.dram'], one.bound_by, 'gemm' in one]), [[1, 1, null, false], [3, 2, null, false]]);
  near(means[0].speedup, 2);
  near(means[1].speedup, 4);
  near(means[1].area_mm2, 2);
  assert.equal(paretoFront(means, 'area_mm2', 'speedup').length, 2);
  assert.equal(overWork(rows.slice(0, 1), axes).length, 1);
});
