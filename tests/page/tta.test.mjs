import assert from 'node:assert/strict';
import {test} from 'node:test';

import {chainSteps} from '../../page/src/chain.js';
import {chosenCurves} from '../../page/src/chosen_curves.js';
import {hoursText, machinesOf, orderingRows, quickest, subject, testsText, timeBars, timeUnit, ttaAnswer} from '../../page/src/tta.js';

const result = (scheme, verdict, changes) => ({machine: 'a', scheme, verdict, 'hours.mean': 2, 'hours.interval': [1, 3],
  'speedup.value': 1.5, 'speedup.interval': [1.2, 1.8], break_even: 1.25, 'to_target.reached': 3, 'to_target.runs': 5, ...changes});
const question = {metric: 'acc', target: 94, networks: ['net']};
const dense = result('dense', 'baseline', {'speedup.value': 1, 'speedup.interval': null, break_even: 1});
const answer = (results, asked = question) => {
  const tta = {question: asked, results};
  return ttaAnswer(tta, machinesOf(tta)[0]);
};

test('the fastest scheme is named, and what is known of the others', () => {
  assert.deepEqual(answer([dense, result('s', 'faster', {}), result('f', 'faster', {'speedup.value': 1.6}),
                           result('u', 'cannot be told apart', {'speedup.value': 1.01}), result('n', 'not reached', {'hours.mean': null})]), {
    headline: 'net on a: f reaches acc 94 first, 1.60× as fast as dense',
    details: 'Dense takes 2.00 h. Faster: f, 1.60× (1.20× to 1.80×); s, 1.50× (1.20× to 1.80×). ' +
      'Cannot be told apart: u, 1.01× (1.20× to 1.80×). Never get there: n.'});
});

test('nothing is called faster that is not', () => {
  assert.equal(answer([dense, result('s', 'slower', {})]).headline, 'net on a: no scheme is known to reach acc 94 before dense does');
  assert.equal(answer([dense]).headline, 'net on a: dense reaches acc 94 in 2.00 h');
});

test('without a target or a curve of dense, the break-even answers', () => {
  const none = {...question, target: null};
  assert.equal(answer([dense, result('s', 'unknown', {}), result('t', 'unknown', {break_even: 1.1})], none).headline,
    'net on a: s wins if it takes less than 1.25 times as many epochs as dense');
  assert.match(answer([{...dense, 'hours.mean': null}, result('s', 'unknown', {break_even: 0.9})]).headline,
    /a scheme has to need fewer epochs than dense to win: s less than 0.900 times as many/);
  assert.match(answer([dense, result('s', 'unknown', {break_even: null})], none).headline, /no scheme can win/);
});

test('of unknown losses the largest that pays is said, and on how many devices', () => {
  const ends = {...question, devices: 8, of_ends: true};
  const said = answer([dense, result('s', 'unknown', {most_loss: 0.00512}), result('t', 'unknown', {most_loss: 0}),
                       result('u', 'unknown', {most_loss: 0.0123})], ends);
  assert.equal(said.headline, 'net on 8 a: no scheme is known to reach acc 94 before dense does');
  assert.match(said.details, /is known: s, t, u; u pays below \+0\.0123\.$/);
  assert.match(answer([dense, result('t', 'unknown', {most_loss: 0})], ends).details, /is known: t\.$/);
});

test('bars and units of time', () => {
  assert.deepEqual(timeUnit([0.001, 0.02]), ['s', 3600]);
  assert.deepEqual(timeUnit([0.5]), ['min', 60]);
  assert.deepEqual(timeUnit([3]), ['h', 1]);
  assert.deepEqual(timeBars({results: [result('s', 'faster', {}), result('n', 'not reached', {'hours.mean': null, 'hours.interval': null})]}, 60), [
    {name: 's', value: 120, interval: [60, 180], about: '3 of 5 runs'}, {name: 'n', value: null, interval: null, about: '3 of 5 runs'}]);
  const [open] = timeBars({results: [result('o', 'slower', {'hours.interval': [1.5, null]})]}, 60);
  assert.deepEqual(open.interval, [90, null], 'an interval without an end has a whisker, too');
  assert.equal(hoursText(null), '–');
  assert.equal(hoursText(0.01), '36.0 s');
});

test('a claim is told by its test, not by the sign of a difference', () => {
  const pair = (difference, told) => ({scheme: 's', 'final.difference': difference, 'final.told_apart': told});
  assert.deepEqual(orderingRows([pair(0.1, true), pair(-0.1, true), pair(-0.1, false)]).map((row) => row.so),
    ['higher', 'lower', 'cannot be told apart']);
  assert.match(testsText(40), /^40 comparisons .* 2\.00 of them have p below 0\.05 by chance alone/);
});

test('of many curves dense and the quickest come first', () => {
  const slow = result('slow', 'slower', {'hours.mean': 5});
  const never = result('never', 'not reached', {'hours.mean': null});
  const quick = result('quick', 'faster', {'hours.mean': 1});
  assert.deepEqual(quickest({results: [dense, slow, never, quick], dense}), ['dense', 'quick', 'slow']);
  const points = [{x: 1, mean: 1}];
  const {ordered, selected} = chosenCurves(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].map((name) => ({name, points})), ['k', 'c']);
  assert.deepEqual(ordered.slice(0, 3).map((one) => one.name), ['k', 'c', 'a']);
  assert.deepEqual(Object.keys(selected).filter((name) => !selected[name]), ['h', 'i', 'j']);
  assert.equal(subject({question: {networks: ['n'], curves_of: 'small ones'}}), 'n, curves of small ones');
});

test('the chain of an explanation goes from peak to the GEMM', () => {
  assert.deepEqual(chainSteps({at_peak: {speedup: 2}, chain: [{what: 'x', speedup: 1.5}, {what: 'y', speedup: 1.6}], all: {speedup: 1.6}}), [
    {kind: 'level', name: 'multiplications at peak rate', from: 1, to: 2}, {kind: 'loss', name: '+ x', from: 2, to: 1.5},
    {kind: 'loss', name: '+ y', from: 1.5, to: 1.6}, {kind: 'level', name: 'the GEMM', from: 1, to: 1.6}]);
});
