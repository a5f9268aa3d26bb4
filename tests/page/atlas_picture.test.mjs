// What the atlas' picture draws and says, counted from the figures that its cells carry; results/atlas.svg too.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';

import {fastestOf, isOptimizers, tally} from '../../page/src/atlas.js';
import {atlasPicture} from '../../scripts/atlas/picture.mjs';

const cell = (values) => ({network: 'small', machine: 'a100', framework: 'f', scheme: 'slope', speedup: 1.2, low: 1.1, high: 1.3, fits: true,
  memory_bytes: 20e9, optimizer: 0.1, ...values});
/** small: two schemes fit, one does not. large: nothing fits. updated: all of the gain is the optimizer's. slow: no scheme gains. */
const atlas = {
  version: '1', networks: ['small', 'large', 'updated', 'slow'].map((name) => ({name})), machines: ['a100', 'b<200'],
  cells: [
    cell({}), cell({scheme: 'asp', speedup: 1.01, low: 0.9, high: 1.1}), cell({scheme: 'sdgp', speedup: 1.9, low: 1.7, high: 2, fits: false, memory_bytes: 90e9}),
    cell({network: 'large', speedup: 1.56, low: 1.4, high: 1.7, fits: false, memory_bytes: 809.4e9, optimizer: 0.9}),
    cell({network: 'large', scheme: 'asp', speedup: 1.4, low: 1.3, high: 1.7, fits: false, memory_bytes: 900e9}),
    cell({network: 'updated', speedup: 1.3, low: 1.2, high: 1.4, optimizer: 0.7}),
    cell({network: 'slow', speedup: 0.8, low: 0.7, high: 0.9, optimizer: 0}), cell({network: 'slow', machine: 'b<200', speedup: 1, low: null, high: null}),
    cell({network: 'slow', framework: 'other', speedup: 5}),
  ],
};

/** [{data, rects, words}] of the cells of a picture. */
function cellsOf(svg) {
  return [...svg.matchAll(/<g class="cell" ([^>]*)>(.*?)<\/g>/g)].map(([, attributes, inside]) => ({
    data: Object.fromEntries([...attributes.matchAll(/data-([a-z-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
    rects: [...inside.matchAll(/<rect [^>]*fill="([^"]*)"/g)].map(([, fill]) => fill),
    words: [...inside.matchAll(/<text [^>]*>([^<]*)</g)].map(([, words]) => words).join(' '),
  }));
}

const isMostlyOptimizer = ({data}) => data.fits === 'true' && Number(data.gain) > 1 && Number(data.optimizer) > 0.5;

function checkCell({data, rects, words}) {
  const where = `${data.network} on ${data.machine}`;
  const counts = ['faster', 'slower', 'open'].map((key) => Number(data[key]));
  if (data.fits === 'false') {
    assert.deepEqual([rects, counts], [['url(#misfit)'], [0, 0, 0]], `${where} does not fit, but is not hatched alone`);
    assert.equal(words, `${Number(data['needs-gb'])} GB`, where);
    return;
  }
  const [red, , blue] = rects[0].match(/\d+/g).map(Number);
  const gain = Number(data.gain);
  assert.ok(/^rgb/.test(rects[0]) && (gain > 1.01 ? blue > red : gain < 0.99 ? red > blue : true), `${where}: ${gain} is ${rects[0]}`);
  assert.equal(rects.length, 1 + counts.filter((count) => count > 0).length, where);
  assert.ok(counts.some((count) => count > 0), `${where} fits, but no scheme of it is counted`);
  assert.equal(words, `${gain.toFixed(2)}×${isMostlyOptimizer({data}) ? ' opt.' : ''}`, where);
}

/** What is drawn and written of a picture follows from its cells' figures. */
function checkPicture(svg) {
  const cells = cellsOf(svg);
  assert.ok(cells.length > 0);
  cells.forEach(checkCell);
  const said = (pattern) => svg.match(pattern)?.slice(1).map(Number);
  assert.deepEqual(said(/Hatched: (\d+) of (\d+) do not fit/), [cells.filter(({data}) => data.fits === 'false').length, cells.length]);
  assert.deepEqual(said(/opt\.: (\d+), most of whose gain is the optimizer/), [cells.filter(isMostlyOptimizer).length]);
  assert.match(svg, />What the fastest scheme gains/);
  assert.doesNotMatch(svg, /\bbest\b/);
  return cells;
}

test('a gain that does not fit is neither fastest nor counted as faster', () => {
  const small = atlas.cells.filter((one) => one.network === 'small');
  assert.equal(fastestOf(small, 'speedup').scheme, 'slope');
  assert.deepEqual(tally(small), {faster: 1, slower: 0, open: 1, misfits: 1, all: 3});
  const large = atlas.cells.filter((one) => one.network === 'large');
  assert.equal(fastestOf(large, 'speedup').speedup, 1.56);
  assert.deepEqual(tally(large), {faster: 0, slower: 0, open: 0, misfits: 2, all: 2});
  assert.equal(fastestOf([], 'speedup'), null);
  assert.deepEqual([{speedup: 1.2, optimizer: 0.51}, {speedup: 1.2, optimizer: 0.5}, {speedup: 0.9, optimizer: 3}].map(isOptimizers), [true, false, false]);
});

test('a picture shows what its cells say', () => {
  const cells = checkPicture(atlasPicture(atlas));
  assert.deepEqual(cells.map(({data, words}) => [data.network, data.machine, data.fits, words]), [
    ['small', 'a100', 'true', '1.20×'], ['large', 'a100', 'false', '809 GB'], ['updated', 'a100', 'true', '1.30× opt.'],
    ['slow', 'a100', 'true', '0.80×'], ['slow', 'b&lt;200', 'true', '1.00×']]);
  assert.deepEqual(cells.map(({data}) => [data.faster, data.slower, data.open, data.misfits].join(' ')), ['1 0 1 1', '0 0 0 2', '1 0 0 0', '0 1 0 0', '0 0 1 0']);
});

test('a picture that says another number of misfits is found', () => {
  const svg = atlasPicture(atlas);
  assert.throws(() => checkPicture(svg.replace('Hatched: 1', 'Hatched: 0')));
  assert.throws(() => checkPicture(svg.replace('data-fits="false"', 'data-fits="true"')));
  assert.throws(() => checkPicture(svg.replace('url(#misfit)"/><text', 'rgb(20, 60, 200)"/><text')));
});

test('results/atlas.svg shows what its cells say', (t) => {
  const svg = readFileSync(new URL('../../results/atlas.svg', import.meta.url), 'utf8');
  if (!svg.includes('data-fits=')) return t.skip('made before cells carried their figures: make atlas');
  return checkPicture(svg);
});
