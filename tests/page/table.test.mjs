import assert from 'node:assert/strict';
import {test} from 'node:test';

import {count, digits3, duration, factor, time} from '../../page/src/format.js';
import {csv, predicate, sorted} from '../../page/src/filter.js';
import {gainColour, gainScale, textOn} from '../../page/src/gain_colour.js';

const column = (key, title = key) => ({key, title, value: (row) => row[key]});
const columns = [column('name'), column('speedup', 'speed up'), column('phase')];
const rows = [{name: 'enc.ff1', speedup: 0.9, phase: 'wgrad'}, {name: 'enc.ff2', speedup: 1.5, phase: 'forward'},
              {name: 'Head', speedup: null, phase: 'forward'}];
const found = (text) => rows.filter(predicate(text, columns)).map((row) => row.name);

test('all words of a filter hold', () => {
  assert.deepEqual(found(''), ['enc.ff1', 'enc.ff2', 'Head']);
  assert.deepEqual(found('ENC forward'), ['enc.ff2']);
  assert.deepEqual(found('speedup<1'), ['enc.ff1']);
  assert.deepEqual(found('speed_up>=1.5'), ['enc.ff2']);
  assert.deepEqual(found('phase=Forward'), ['enc.ff2', 'Head']);
  assert.deepEqual(found('phase!=forward'), ['enc.ff1']);
  assert.deepEqual(found('unknown<1'), []);
  assert.deepEqual(found('speedup<x'), []);
});

test('rows without a value come last in both directions, equal ones keep their order', () => {
  const names = (key, descending) => sorted(rows, column(key), descending).map((row) => row.name);
  assert.deepEqual(names('speedup', true), ['enc.ff2', 'enc.ff1', 'Head']);
  assert.deepEqual(names('speedup', false), ['enc.ff1', 'enc.ff2', 'Head']);
  assert.deepEqual(names('phase', false), ['enc.ff2', 'Head', 'enc.ff1']);
  assert.deepEqual(sorted([{n: 'l10'}, {n: 'l9'}], column('n'), false), [{n: 'l9'}, {n: 'l10'}]);
});

test('CSV quotes as RFC 4180 says', () => {
  assert.equal(csv([{name: 'a,"b"', speedup: 1.25, phase: 'x\ny'}, rows[2]], columns),
    'name,speedup,phase\r\n"a,""b""",1.25,"x\ny"\r\nHead,,forward\r\n');
});

test('figures', () => {
  assert.deepEqual([1234, 99.95, 1, 0.5, 0.01234, 0].map(digits3), ['1234', '100', '1.00', '0.500', '0.0123', '0']);
  assert.deepEqual([0.5, 12.34, 1500, 2.5e6].map(time), ['500 ns', '12.3 µs', '1.50 ms', '2.50 s']);
  assert.equal(factor(1.185), '1.19×');
  assert.equal(factor(0), '–');
  assert.equal(count(1234567), '1,234,567');
  assert.deepEqual([60, 600, 7200].map(duration), ['60.0 s', '10.0 min', '2.00 h']);
});

test('colours of speedups', () => {
  const colours = {neutral: '#808080', slow: '#ff0000', fast: '#0000ff'};
  assert.equal(gainColour(1, colours), 'rgb(128, 128, 128)');
  assert.equal(gainColour(2, colours), 'rgb(0, 0, 255)');
  assert.equal(gainColour(4, colours), 'rgb(0, 0, 255)');
  assert.equal(gainColour(0.5, colours), 'rgb(255, 0, 0)');
  assert.equal(gainScale(Math.SQRT2).toFixed(6), '0.500000');
  assert.equal(textOn('rgb(255, 255, 255)'), '#111111');
  assert.equal(textOn('rgb(0, 0, 120)'), '#ffffff');
});
