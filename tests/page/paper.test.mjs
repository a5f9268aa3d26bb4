import assert from 'node:assert/strict';
import {test} from 'node:test';

import {columnsOf, panelsOf, partsOf, sharedOf, tonesOf, whereOf} from '../../page/src/paper.js';
import {axisOf} from '../../page/src/paper_axis.js';
import {paperColumns, savedColumns} from '../../page/src/paper_table.js';
import {deviationText, intervalText, lines, powerOfTen, publishedText, valueText, verdictText, whyText, withoutHeading} from '../../page/src/paper_text.js';
import {csv} from '../../page/src/filter.js';
import {answer, samplePaper} from './paper_sample.mjs';

const paper = samplePaper('evil');
const [savings, layers, masks] = paper.figures;
const tones = tonesOf(paper.figures);
const rowOf = (says, changes) => ({says, quantity: 'time', unit: 'ms', obtained: 'measured', setting: '', note: '', answers: [], why: '', fitted: '',
                                   not_obtained: '', not_compared: '', ...changes});
const figureOf = (rows, columns = ['A']) => ({name: 'f', title: '', shows: '', source: '', columns, rows, not_obtained: []});

test('published figures have the digits that the paper gives them', () => {
  const text = (least, most, unit) => publishedText({least, most}, unit);
  assert.equal(text(33.17, 33.17, 'percent'), '33.17 %');
  assert.equal(text(15, 25, 'percent'), '15 … 25 %');
  assert.equal(text(1.5, 1.5, 'ratio'), '1.5×');
  assert.equal(text(-0.59, 0.2, 'points'), '−0.59 … +0.2 points');
  assert.equal(text(116963796250, 116963796250, 'count'), '116,963,796,250');
  assert.equal(text(1.25e20, 1.25e20, 'count'), '1.25 · 10²⁰');
  assert.equal(text(0.1 + 0.2, 0.1 + 0.2, 'value'), '0.3');
  assert.equal(text(0, 0, 'us'), '0 µs');
  assert.equal(text(7, 7, 'furlongs'), '7 furlongs');
  assert.equal(publishedText({}, 'percent'), '');
});

test('ours have three digits, as many decimals as the published figure, and what is counted in full', () => {
  assert.equal(valueText(33.1711, 'percent', {least: 33.17, most: 33.17}), '33.17 %');
  assert.equal(valueText(1.33333, 'ratio', {least: 1.333, most: 1.4}), '1.333×');
  assert.equal(valueText(1.33333, 'ratio', {least: 1, most: 1}), '1.33×');
  assert.equal(valueText(0.94, 'ratio'), '0.940×');
  assert.equal(valueText(123456.7, 'us'), '123,457 µs');
  assert.equal(valueText(1234, 'TFLOP/s'), '1234 TFLOP/s');
  assert.deepEqual(['count', 'cycles', 'bits', 'ms'].map((unit) => valueText(2, unit)), ['2', '2 cycles', '2 bits', '2.00 ms']);
  assert.equal(valueText(2.5, 'bits'), '2.50 bits');
  assert.equal(valueText(1e15, 'count'), '1.00 · 10¹⁵');
  assert.equal(valueText(-2e-9, 'value'), '−2.00 · 10⁻⁹');
  assert.equal(valueText(0.21, 'points'), '+0.210 points');
  assert.equal(intervalText({low: 1, high: 1}, 'ms'), '');
  assert.equal(intervalText({low: -1.2, high: 0.1}, 'points'), '−1.20 … +0.100');
  assert.equal(powerOfTen(-12), '10⁻¹²');
});

test('a deviation in words', () => {
  const text = (deviation, least, most, unit = 'ratio', value = 1) => deviationText({value, deviation}, unit, {least, most});
  assert.equal(text(0, 1, 2), 'inside');
  assert.equal(text(0, 1, 1), 'as published');
  assert.equal(text(0.0004, 1, 2), 'as published');
  assert.equal(text(0.0005, 1, 1), '0.1 % more');
  assert.equal(text(-0.065, 1, 1), '6.5 % less');
  assert.equal(text(0.1234, 1, 1), '12 % more');
  assert.equal(deviationText({value: 1}, 'ratio', undefined), '');
  // Of differences a part of the published one says little, and less the nearer that is to none.
  assert.equal(text(0.186, -0.59, -0.59, 'points', -0.7), '0.110 points lower');
  assert.equal(text(-2, 0.1, 0.3, 'points', 0.5), '0.200 points higher');
  assert.equal(text(0, -1, 1, 'points', 0.5), 'inside');
  assert.equal(text(0, 0.5, 0.5, 'points', 0.5), 'as published');
});

test('why a row is as it is', () => {
  const of = (row) => whyText(rowOf('r', row));
  assert.equal(of({}), '');
  assert.equal(of({not_obtained: 'not obtained: a bar'}), 'Not obtained: a bar');
  assert.equal(of({not_obtained: 'a bar'}), 'Not obtained: a bar');
  assert.equal(of({not_compared: 'no hardware'}), 'Not compared: no hardware');
  const [a, b, c] = ['A', 'B', 'C'].map((column) => (because) => answer(column, 1, {because}));
  assert.equal(of({why: 'so', answers: [a('x'), b('x')]}), 'so\nx');
  assert.equal(of({answers: [a('x'), b('y'), c('x')]}), 'A, C: x\nB: y');
  assert.equal(of({answers: [a('x'), b('')]}), 'A: x');
  assert.equal(of({fitted: 'to this figure', why: 'so'}), 'Fitted: to this figure\nso');
  assert.deepEqual([{kind: 'against measured', verdict: 'reproduced'}, {kind: 'own training', verdict: 'same direction', p_value: 0.0312}, {kind: '', verdict: ''}].map(verdictText),
    ['against measured: reproduced', 'own training: same direction, p = 0.031', '']);
  assert.deepEqual(['not obtained: a bar', 'Not obtained, a bar', 'a bar'].map(withoutHeading), ['a bar', 'a bar', 'a bar']);
});

test('names break at spaces, long words at marks or anywhere, and end in dots', () => {
  assert.deepEqual(lines('one two three', 7, 3), ['one two', 'three']);
  assert.deepEqual(lines('abcdefghij', 4, 3), ['abcd', 'efgh', 'ij']);
  assert.deepEqual(lines('layer2.0.downsample', 15, 3), ['layer2.0.', 'downsample']);
  assert.deepEqual(lines('a layer2.0.downsample.conv1 b', 12, 4), ['a layer2.0.', 'downsample.', 'conv1 b']);
  assert.deepEqual(lines('aaa bbb ccc', 3, 2), ['aaa', 'bb…']);
  assert.deepEqual(lines('', 5, 2), ['']);
});

test('an axis begins at zero, of dots that are all alike near them, and is logarithmic beyond two decades', () => {
  assert.deepEqual(axisOf([3, 33.17], 'dot'), {isLog: false, step: 10, min: 0, max: 40});
  assert.deepEqual(axisOf([1.2, 1.5], 'dot'), {isLog: false, step: 0.05, min: 1.2, max: 1.5});
  assert.deepEqual(axisOf([1.2, 1.5], 'bar'), {isLog: false, step: 0.5, min: 0, max: 1.5});
  assert.deepEqual(axisOf([-0.7, 0.2], 'dot'), {isLog: false, step: 0.2, min: -0.8, max: 0.2});
  assert.deepEqual(axisOf([-3, -2], 'dot'), {isLog: false, step: 0.5, min: -3, max: 0});
  assert.deepEqual(axisOf([2], 'dot'), {isLog: false, step: 0.5, min: 2, max: 2.5});
  assert.deepEqual(axisOf([0], 'dot'), {isLog: false, step: 0.2, min: 0, max: 0.2});
  assert.deepEqual(axisOf([0.02, 2], 'bar'), {isLog: false, step: 0.5, min: 0, max: 2});
  assert.deepEqual(axisOf([0.02, 2.1], 'bar'), {isLog: true, step: 1, min: 0.01, max: 10});
  assert.deepEqual(axisOf([2, 90, 116963796250], 'dot'), {isLog: true, step: 1, min: 1, max: 1e12});
  assert.deepEqual(axisOf([1, 1000], 'bar'), {isLog: true, step: 1, min: 1, max: 1000});
  assert.equal(axisOf([0, 1000], 'dot').isLog, false);
});

test('columns are those with answers, with a colour and a place', () => {
  assert.deepEqual(columnsOf(figureOf([rowOf('r', {answers: [answer('computed', 1), answer('B', 1)]})], ['A', 'B'])), ['B', 'computed']);
  assert.deepEqual([...tones], [['as the paper counts', 'gemm2'], ['A100', 'kind1'], ['A100 with N:M', 'kind5'], ['computed', 'kind3'], ['our training', 'kind9']]);
  assert.equal(whereOf(savings, 'A100'), 'a100 with pytorch_eager');
  assert.equal(whereOf(masks, 'computed'), '');
  assert.equal(whereOf(figureOf([rowOf('r', {answers: [answer('A', 1, {where: 'x'})]}), rowOf('s', {answers: [answer('A', 1, {where: 'y'})]})]), 'A'), '');
});

test('verdicts are counted by kind and column', () => {
  assert.deepEqual(partsOf([]), []);
  assert.deepEqual(partsOf(paper.tally).map(({kind, column, verdicts}) => [kind, column, ...verdicts.map(({verdict, count}) => `${count} ${verdict}`)]), [
    ['against measured', 'A100', '4 reproduced'], ['against estimated', 'A100', '1 direction only', '2 not reproduced'], ['arithmetic', 'computed', '3 consistent']]);
});

test('what all rows share is said once', () => {
  assert.deepEqual(sharedOf(layers), {quantity: 'time', setting: '', note: '', obtained: 'measured'});
  assert.deepEqual(sharedOf(savings), {quantity: null, setting: null, note: null, obtained: null});
  // How the paper came by a figure is no matter where it has none.
  assert.equal(sharedOf(figureOf([rowOf('r', {}), rowOf('s', {obtained: 'counted', published: {least: 1, most: 1}})])).obtained, 'counted');
  assert.equal(sharedOf(figureOf([rowOf('r', {setting: 'batch 1'}), rowOf('s', {setting: 'batch 1'})])).setting, 'batch 1');
  assert.equal(sharedOf(figureOf([rowOf('r', {setting: 'batch 1'}), rowOf('s', {})])).setting, null);
});

test('a chart for each unit, without rows that have nothing to draw', () => {
  const panels = panelsOf(savings, tones);
  assert.deepEqual(panels.map(({axisName, shape, categories}) => [axisName, shape, categories.length]), [['%', 'dot', 2], ['×', 'dot', 4]]);
  const [{categories: [, saved], key}] = panels;
  assert.deepEqual(saved.published, {least: 15, most: 25});
  assert.deepEqual(saved.marks.map((one) => one.value), [16.585, 8.5, null]);
  assert.deepEqual(saved.lines, [['published:', '15 … 25 %'], ['as the paper counts:', '16.6 % (inside)'], ['A100:', '8.50 % (6.10 … 11.0, 43 % less)']]);
  assert.deepEqual(key.map(({tone}) => tone), ['gemm2', 'kind1', 'kind5']);
  assert.deepEqual(panelsOf(masks, tones).map(({axisName, axis}) => [axisName, axis.isLog]),
    [['masks of a block', true], ['accuracy, %', false], ['difference of accuracies, percentage points', false]]);
  const published = {least: 1, most: 3};
  assert.deepEqual(panelsOf(figureOf([rowOf('r', {published}), rowOf('s', {not_compared: 'x', unit: ''})]), new Map()), []);
  const [both] = panelsOf(figureOf([rowOf('r', {published}), rowOf('s', {answers: [answer('A', 2)]})]), new Map([['A', 'kind1']]));
  assert.deepEqual(both.categories.map((one) => one.published), [published, null]);
  assert.deepEqual([both.axis.min, both.axis.max], [0, 3]);
});

test('rows of the same name are told apart by their setting', () => {
  const rows = ['batch 1', 'batch 8', ''].map((setting) => rowOf('step', {setting, answers: [answer('A', 1)]}));
  assert.deepEqual(panelsOf(figureOf(rows), new Map([['A', 'kind1']]))[0].categories.map(({label}) => label), ['step, batch 1', 'step, batch 8', 'step']);
});

test('layers and products are bars of one scale, a chart for each column', () => {
  const panels = panelsOf(layers, tones);
  assert.deepEqual(panels.map(({title, shape, axisName, categories}) => [title, shape, axisName, categories.length]),
    [['A100', 'bar', 'time, ms', 20], ['A100 with N:M', 'bar', 'time, ms', 20]]);
  assert.deepEqual(panels[0].axis, panels[1].axis);
  assert.deepEqual(panels[0].key, [{name: 'forward', tone: 'gemm1'}, {name: 'dgrad', tone: 'gemm2'}, {name: 'wgrad', tone: 'gemm3'}]);
  const [first, second] = panels[0].categories;
  assert.equal(first.label, 'conv1');
  assert.deepEqual(first.marks.map(({value, published}) => [value, published]), layers.rows.slice(0, 3).map((row) => [row.answers[0].value, null]));
  assert.deepEqual(second.marks[0].published, layers.rows[3].published);
  assert.deepEqual(first.lines[0], ['forward:', '0.200 ms (0.180 … 0.220)']);
  // Of one product alone, columns stand beside each other; a logarithmic axis has no place where bars could begin.
  const alone = (values) => panelsOf(figureOf(values.map((value, i) => rowOf(`l${i} dgrad`, {answers: [answer('A', value)]}))), new Map([['A', 'kind1']]))
    .map(({shape, title, categories}) => [shape, title, categories[0].label]);
  assert.deepEqual(alone([1, 2]), [['bar', '', 'l0 dgrad']]);
  assert.deepEqual(alone([1, 200]), [['dot', '', 'l0 dgrad']]);
  assert.equal(panelsOf(figureOf(['share of dgrad', 'share of wgrad'].map((says) => rowOf(says, {answers: [answer('A', 1)]}))), new Map([['A', 'kind1']])).length, 1);
});

test('the table says what is not there in words', () => {
  const columns = paperColumns(savings);
  const cells = (row) => Object.fromEntries(columns.map(({title, value, format}) => [title, format(value(row), row)]));
  assert.deepEqual(columns.map(({title}) => title), ['says', 'published', 'as the paper counts', 'A100', 'A100 with N:M', 'why', 'note']);
  assert.deepEqual(cells(savings.rows[1]), {
    says: 'saved of the time of all products\nsaved of the GEMMs’ time\nbatch 256', published: '15 … 25 %\nestimated',
    'as the paper counts': '16.6 %\ninside\narithmetic:\nconsistent',
    A100: '8.50 %\n6.10 … 11.0\n43 % less\nagainst estimated:\ndirection only', 'A100 with N:M': '',
    why: 'A100: pruning the output gradients takes a pass of its own, which costs most of what is saved', note: ''});
  assert.deepEqual(savings.rows.slice(4).map(cells).map((one) => [one.published, one.A100]),
    [['–', ''], ['not obtained\nmeasured', '1.02×'], ['–\nmeasured', 'not compared']]);
  const markOf = (row) => columns.find(({title}) => title === 'A100').mark(row);
  assert.deepEqual([savings.rows[1], savings.rows[5]].map(markOf), ['verdict direction-only', '']);
  assert.deepEqual(paperColumns(layers).map(({title}) => title), ['says', 'published', 'A100', 'A100 with N:M']);
});

test('a note that all rows share is none of the table', () => {
  const titles = (...notes) => paperColumns(figureOf(notes.map((note) => rowOf('r', {note, answers: [answer('A', 1)]})))).map(({title}) => title);
  assert.deepEqual(titles('x', 'x'), ['says', 'published', 'A']);
  assert.deepEqual(titles('x', ''), ['says', 'published', 'A', 'note']);
});

test('a CSV file has exact values and everything that is known', () => {
  const [head, , saved] = csv(savings.rows, savedColumns(savings)).split('\r\n');
  assert.match(head, /^says,quantity,unit,published least,published most,as the paper counts value,as the paper counts low,/);
  assert.match(saved, /^saved of the time of all products,saved of the GEMMs’ time,percent,15,25,16\.585,16\.585,16\.585,0,arithmetic,consistent,,ideal with ideal,8\.5,6\.1,11,-0\.433,/);
});
