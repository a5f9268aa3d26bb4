// node figures.mjs PROGRAM: reads every speedup and every time that tables and pages of `gemm` and `run` show back, and
// finds each, rounded alike, in their JSON, where the board's power limit binds.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {count, digits3} from '../../page/src/format.js';
import {pageTexts} from './small_dom.mjs';

const program = process.argv[2];
/** Dense, its board draws all it may, and is slower than 1:8. */
const machine = ['--arch', 'a100_nm'];
const gemm = ['gemm', ...machine, '--m', '4096', '--n', '4096', '--k', '4096', '--sparsity', '1:8'];
const study = ['run', ...machine, '--network', 'bert_base_s384', '--framework', 'nvidia_tuned', '--schemes', 'dense,fst',
               '--set', 'machines.0.power.limit_watts=250'];

const speedupPattern = /(?<![\d.×])(\d+(?:\.\d+)?)[x×](?![\d])/g;
const timePattern = /(?<![\d.])(\d+(?:\.\d+)?) (ns|us|µs|ms|s)(?!\w)/g;
const unitsInUs = {ns: 1e-3, us: 1, µs: 1, ms: 1e3, s: 1e6};

/** All numbers below a document whose key says what they are: 'time_us', 'speedup', ... */
function valuesOf(document, isWanted, key = '') {
  if (typeof document === 'number') return isWanted(key) ? [document] : [];
  if (document === null || typeof document !== 'object') return [];
  const ofArray = Array.isArray(document) ? key : null;
  return Object.entries(document).flatMap(([name, value]) => valuesOf(value, isWanted, ofArray ?? name));
}

const isSpeedup = (key) => /(^|_)speedup$/.test(key) || key === 'low' || key === 'high';
const isTime = (key) => /(^|_)time_us$/.test(key) || key === 'low' || key === 'high';   // an interval's are of either

const found = (texts, pattern) => [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, value, unit]) => `${value} ${unit ?? ''}`)))];

/**
 * Every figure of the texts is one of the document's.
 * @param wanted values of the document that have to be among them
 */
function check(what, texts, document, {speedups: wantedSpeedups, times: wantedTimes}) {
  const rounded = (value) => Number(digits3(value));
  const speedups = new Set([1, ...valuesOf(document, isSpeedup)].map(rounded));   // dense, over itself
  const times = valuesOf(document, isTime);
  const shown = found(texts, speedupPattern).map((one) => one.trim());
  const lost = shown.filter((one) => !speedups.has(Number(one)));
  assert.deepEqual(lost, [], `${what}: speedups that are not in the JSON`);
  const shownTimes = found(texts, timePattern);
  const isTimeOf = (one, us) => {
    const [value, unit] = one.split(' ');
    return rounded(us / unitsInUs[unit]) === Number(value);
  };
  const lostTimes = shownTimes.filter((one) => !times.some((us) => isTimeOf(one, us)));
  assert.deepEqual(lostTimes, [], `${what}: times that are not in the JSON`);
  const missing = [...wantedSpeedups.filter((value) => !shown.some((one) => Number(one) === rounded(value))),
                   ...wantedTimes.filter((us) => !shownTimes.some((one) => isTimeOf(one, us)))];
  assert.deepEqual(missing, [], `${what}: figures that are not shown`);
  assert.deepEqual(texts.filter((text) => /– (ns|µs|ms|s)\b|NaN|undefined/.test(text)), [], `${what}: figures that are none`);
  console.log(`${what}: ${shown.length} speedups, ${shownTimes.length} times`);
}

/** The program's text, its JSON, and the page that is made of it. */
async function shownBy(folder, command, ...ofTable) {
  const run = (options) => execFileSync(program, options, {cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore']});
  const json = run([...command, '--format', 'json']);
  writeFileSync(join(folder, 'document.json'), json);
  run(['page', 'document.json', '-o', 'page.html']);
  return {document: JSON.parse(json), table: run([...command, ...ofTable]).split('\n'), page: await pageTexts(join(folder, 'page.html'))};
}

const folder = mkdtempSync(join(tmpdir(), 'stcsim-figures-'));
try {
  const one = await shownBy(folder, gemm);
  assert.ok(one.document.dense.sustained_clock_mhz < one.document.sustained_clock_mhz, 'the limit does not bind the dense GEMM');
  const ofGemm = {speedups: [one.document.speedup], times: [one.document.time_us, one.document.dense.time_us]};
  check('gemm, table', one.table, one.document, ofGemm);
  check('gemm, page', one.page, one.document, ofGemm);
  for (const {cycles, sustained_clock_mhz: clock} of [one.document, one.document.dense]) {
    assert.ok(one.page.includes(`${count(cycles)} at ${Math.round(clock)} MHz`), 'cycles beside the clock of their side');
  }
  const step = await shownBy(folder, study, '--layers');
  assert.ok(step.document.totals.every((total) => total.clock_of === 'power'), 'the limit does not bind the step');
  const {totals} = step.document;
  assert.ok(totals.some((total) => digits3(total.training.speedup) !== digits3(total.step.speedup)), 'no training has dense steps');
  const ofStep = {speedups: totals.flatMap((total) => [total.forward, total.gemms, total.step, total.training].map((part) => part.speedup)),
                  times: totals.map((total) => total.step.time_us)};
  check('run, table', step.table, step.document, ofStep);
  check('run, page', step.page, step.document, ofStep);
} finally {
  rmSync(folder, {recursive: true});
}
