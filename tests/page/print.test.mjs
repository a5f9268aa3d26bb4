// Numbers of charts as tables, and charts as they are printed.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {rgbOf} from '../../page/src/gain_colour.js';
import {numbersOf} from '../../page/src/numbers.js';
import {printed, printTheme} from '../../page/src/print.js';

const context = {narrow: true, width: 320};
const many = (type, extra = {}) => Array.from({length: 6}, (_, i) => ({type, name: `s${i}`, data: [], itemStyle: {color: '#102030'}, ...extra}));
const distinct = (values) => new Set(values.map((one) => JSON.stringify(one))).size;

test('bars are a row for each category, with the axis name as unit', () => {
  const option = {xAxis: {type: 'value', name: 'ms'}, yAxis: {type: 'category', data: ['dense', 'asp']},
                  series: [{type: 'bar', name: 'forward', data: [1 / 3, {value: 2}]}, {type: 'bar', name: 'wgrad', data: [3, null]}, {type: 'custom', data: [[0, 1]]}]};
  assert.deepEqual(numbersOf(option, 'scheme'), {columns: ['scheme', 'forward, ms', 'wgrad, ms'], rows: [['dense', 1 / 3, 3], ['asp', 2, null]]});
});

test('points are a row each; lines that say nothing are none', () => {
  const axes = {xAxis: {type: 'log', name: 'FLOP per byte'}, yAxis: [{type: 'value', name: 'TFLOP/s'}, {}]};
  const series = [{type: 'line', silent: true, data: [[0, 0], [1, 1]]}, {type: 'scatter', name: 'A', data: [[1, 2], {value: [3, 4, 5]}]}];
  assert.deepEqual(numbersOf({...axes, series}), {columns: ['series', 'FLOP per byte', 'TFLOP/s'], rows: [['A', 1, 2], ['A', 3, 4]]});
  assert.deepEqual(numbersOf({...axes, series: [{type: 'line', data: [[1, 2]]}]}), {columns: ['FLOP per byte', 'TFLOP/s'], rows: [[1, 2]]});
});

test('trees and parallel coordinates', () => {
  const series = [{type: 'treemap', data: [{name: 'SM', children: [{name: 'port', value: 2}, {name: 'byte', value: 3}]}]}];
  assert.deepEqual(numbersOf({series}, 'unit'), {columns: ['part', 'unit', 'value'], rows: [['SM', 'port', 2], ['SM', 'byte', 3]]});
  assert.deepEqual(numbersOf({parallelAxis: [{name: 'SMs'}, {name: 'speedup'}], series: [{type: 'parallel', data: [['4', 1.5]]}]}),
    {columns: ['SMs', 'speedup'], rows: [['4', 1.5]]});
});

test('in grey, series of one colour differ in pattern, dashes or symbol', () => {
  const axis = {xAxis: {type: 'value', name: 'x'}};
  const bars = printed({...axis, series: many('bar')}, context).series;
  assert.equal(distinct(bars.map(({itemStyle}) => itemStyle.decal ?? null)), 6);
  assert.equal(bars[1].itemStyle.decal.color, '#ffffff', 'on a dark bar');
  assert.equal(distinct(printed({...axis, series: many('line', {lineStyle: {}})}, context).series.map(({lineStyle, symbol}) => [lineStyle.type, symbol])), 6);
  assert.equal(distinct(printed({...axis, series: many('scatter')}, context).series.map(({symbol}) => symbol)), 6);
  const [filled, hollow] = printed({...axis, series: many('scatter', {symbol: 'diamond'})}, context).series;
  assert.deepEqual([filled.symbol, hollow.symbol], ['diamond', 'emptyDiamond']);
});

test('what means faster, neither and slower is dark, between and light', () => {
  const {colour, width, scale} = printTheme(1);
  const grey = (name) => rgbOf(colour(name)).match(/\d+/g).reduce((sum, one, i) => sum + [0.2126, 0.7152, 0.0722][i] * one, 0);
  assert.ok(grey('fast') + 50 < grey('neutral') && grey('neutral') + 15 < grey('slow'));
  assert.equal(width * scale, 240);
  assert.equal(colour('page'), '#ffffff');
});

test('the name of an axis is broken to fit', () => {
  const {xAxis} = printed({xAxis: {type: 'value', name: 'difference of accuracies, percentage points', nameLocation: 'middle'}, series: []}, context);
  assert.equal(xAxis.name, 'difference of accuracies,\npercentage points');
});
