// What is done with browsers that stand still (browsers.mjs).

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {test} from 'node:test';

import {Browsers, cpuSeconds} from './browsers.mjs';

/** Browsers called 1, 2, 3 and so on, and what became of them. */
function launcher(cpu) {
  const killed = [];
  let count = 0;
  return {killed, launch: async () => {
    const browser = ++count;
    return {browser, cpu, kill: async () => { killed.push(browser); }};
  }};
}

const still = () => new Promise(() => {});

/** @param cpu () => seconds of a core that a browser has taken: here no more than before */
function browsersThat(told, cpu = () => 1) {
  const {killed, launch} = launcher(cpu);
  return {killed, browsers: new Browsers(launch, {seconds: 0.03, tell: (line) => told.push(line)})};
}

test('pages share a browser that does not stand still', async () => {
  const told = [];
  const {killed, browsers} = browsersThat(told);
  const seen = [];
  for (const what of ['a', 'b']) await browsers.draw(what, async (browser) => { seen.push(browser); });
  await browsers.end();
  assert.deepEqual([seen, killed, told], [[1, 1], [1], []]);
});

test('a new browser draws a page that stood still once more, and the pages after it', async () => {
  const told = [];
  const {killed, browsers} = browsersThat(told);
  const seen = [];
  const check = async (browser) => { seen.push(browser); if (browser === 1) await still(); };
  await browsers.draw('a', check);
  await browsers.draw('b', check);
  assert.deepEqual([seen, killed], [[1, 2, 2], [1]]);
  assert.deepEqual(told, ['a: the browser stood still for 0.03 s, a new one draws the page once more']);
});

test('a browser that works has as long as it takes', async () => {
  const told = [];
  let taken = 0;
  const {browsers} = browsersThat(told, () => (taken += 1));
  await browsers.draw('a', () => new Promise((done) => { setTimeout(done, 150); }));
  assert.deepEqual(told, []);
});

test('the time of a process is its own and that of those it started', () => {
  const before = cpuSeconds(process.pid);
  while (cpuSeconds(process.pid) <= before) ;
  const child = spawn('bash', ['-c', 'while :; do :; done']);
  try {
    while (cpuSeconds(child.pid) < 0.1) ;
    assert.ok(cpuSeconds(process.pid) >= cpuSeconds(child.pid));
  } finally {
    child.kill();
  }
});

test('a page that stands still twice fails', async () => {
  const {browsers} = browsersThat([]);
  await assert.rejects(browsers.draw('a', still), /a: it stood still in a new browser too/);
});

test('a third page that stands still fails', async () => {
  const {browsers} = browsersThat([]);
  const once = () => {
    let first = true;
    return async () => { if (first) { first = false; await still(); } };
  };
  await browsers.draw('a', once());
  await browsers.draw('b', once());
  await assert.rejects(browsers.draw('c', once()), /c: more than 2 pages stood still/);
});

test('what is wrong with a page is said at once, and not tried again', async () => {
  const told = [];
  const {browsers} = browsersThat(told);
  let tries = 0;
  await assert.rejects(browsers.draw('a', async () => { tries += 1; assert.equal(1, 2, 'wrong'); }), /wrong/);
  assert.deepEqual([tries, told], [1, []]);
});
