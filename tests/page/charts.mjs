// node charts.mjs PROGRAM PACKAGES: the charts that --svg writes open in a headless Chromium, no text of them is cut off or over
// another, and both their texts and their CSV files hold the numbers of the command's JSON; the page saves the same CSV.

import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

import {csvRows} from '../../page/src/data.js';
import {count, digits3, factor, wholePercent} from '../../page/src/format.js';
import {Browsers, chromiumOf} from './browsers.mjs';
import {overlaps} from './labels.mjs';
import {experiment} from './samples.mjs';

const [program, packages] = process.argv.slice(2);
const gemm = ['--arch', 'a100', '--m', '1024', '--n', '4096', '--k', '1024', '--sparsity', '2:4'];
const study = ['run', '--network', 'resnet18', '--batch', '8', '--arch', 'a100', '--schemes', 'dense,sdgp,slope'];
const space = `machines: [a100_nm]
gemms: [{name: one, m: 256, n: 256, k: 512}]
kernel_candidates: 1
axes:
  gemm.pattern: ["2:4", "1:8"]
  machine.accelerator.num_sms: [4, 8]
`;

const folder = mkdtempSync(join(tmpdir(), 'stcsim-charts-'));
const options = {cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28};
const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b)), `${what}: ${a} is not ${b}`);

/** The charts of a command, {title: {rows of its CSV, texts of its SVG}}, and its JSON. */
function chartsOf(name, command, ...asJson) {
  const {status, stderr, stdout} = spawnSync(program, [...command, '--svg', name, ...asJson], options);
  assert.ok(status === 0 || status === 1, stderr);
  const charts = {};
  for (const file of readdirSync(join(folder, name)).filter((one) => one.endsWith('.svg'))) {
    const svg = readFileSync(join(folder, name, file), 'utf8');
    const texts = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&'));
    charts[/<title>([^<]*)</.exec(svg)[1]] = {rows: csvRows(readFileSync(join(folder, name, file.replace(/svg$/, 'csv')), 'utf8')), texts, svg};
  }
  const [found] = stderr.match(/(one|\d+) charts?, /) ?? [''];
  assert.equal(Number(found.replace('one', '1').split(' ')[0]), Object.keys(charts).length, stderr);
  return {charts, document: asJson.length > 0 ? JSON.parse(stdout) : null};
}

const json = ['--format', 'json'];
const shows = ({texts}, text, what) => assert.ok(texts.includes(text), `${what}: no text '${text}' in ${texts}`);

function checkGemm() {
  const {charts, document} = chartsOf('gemm', ['gemm', ...gemm], ...json);
  assert.equal(Object.keys(charts).length, 4);
  for (const [title, from] of [['what the machine did, A 2:4', document], ['what the machine did, A dense', document.dense]]) {
    const {rows: [dram, l2]} = charts[title];
    const busy = from.buckets.dram.busy / from.buckets.dram.instances / from.cycles;
    near(dram['busy, share of the launch'], busy, title);
    near(dram['down, B/clk'], from.traffic.dram_read_bytes / from.cycles, title);
    near(l2['up, B/clk'], from.traffic.l2_write_bytes / from.cycles, title);
    shows(charts[title], `busy ${wholePercent(busy)}`, title);
    const moved = from.traffic.dram_read_bytes / from.cycles;
    assert.ok(charts[title].texts.some((text) => text.startsWith(`${moved >= 1000 ? count(moved) : digits3(moved)} of `)), title);
  }
  const {rows} = charts['Where the cycles of each unit went: 1024×4096×1024, fp16 (A 2:4)'];
  for (const {unit, bucket, 'share of cycles': share} of rows) {
    const {instances, ...buckets} = document.buckets[unit];
    assert.equal(share, Math.round(1000 * buckets[bucket] / instances / document.cycles) / 1000, `${unit}.${bucket}`);
  }
}

function checkExplain() {
  const {charts, document} = chartsOf('explain', ['explain', ...gemm], ...json);
  const falls = charts['where the gain goes'];
  assert.deepEqual(falls.rows.map((one) => one['to, times dense']), [document.at_peak.speedup, ...document.chain.map(({speedup}) => speedup), document.all.speedup]);
  shows(falls, factor(document.all.speedup), 'the GEMM');
  const {rows} = charts['gain raised if it were not so'];
  for (const row of rows) {
    const one = document.counterfactuals.find(({what}) => what === row.name);
    if (one.free?.time_us > 0) near(row['it cost nothing, gain raised, %'], 100 * one.free.speedup / document.all.speedup - 100, row.name);
    if (one.doubled?.time_us > 0) near(row['there were twice as much, gain raised, %'], 100 * one.doubled.speedup / document.all.speedup - 100, row.name);
  }
  assert.ok(rows.length > 5);
}

function checkRun() {
  const {charts, document} = chartsOf('run', study, ...json);
  const titles = Object.keys(charts);
  const chart = (start) => charts[titles.find((one) => one.startsWith(start))];
  const bars = chart('time of a step by scheme');
  for (const total of document.totals) {
    const {scheme, ...parts} = bars.rows.find((one) => one.scheme === total.scheme);
    const unit = 'forward, ms' in parts ? 1000 : 1;
    near(Object.values(parts).reduce((sum, one) => sum + unit * one, 0), total.step.time_us, scheme);
    near(unit * (parts['forward, ms'] ?? parts['forward, µs']), total.forward.time_us, scheme);
    if (scheme !== 'dense') assert.ok(bars.texts.some((text) => text.includes(factor(total.step.speedup))), `${scheme}: ${bars.texts}`);
  }
  const best = document.totals.filter(({scheme}) => scheme !== 'dense').reduce((a, b) => (b.training.speedup > a.training.speedup ? b : a));
  const falls = chart(`what is left of the gain of ${best.scheme}`);
  near(falls.rows.at(-1)['to, times dense'], best.training.speedup, best.scheme);
  shows(falls, factor(best.training.speedup), best.scheme);
  near(chart(`resnet18 on a100, ${best.scheme}: layers`).rows.reduce((sum, one) => sum + one['time, µs'], 0), best.step.time_us, 'layers');
  for (const point of chart('roofline of').rows) {
    assert.ok(document.results.some((row) => row.layer === point.layer && row.phase === point.phase && row.hardware_pattern === point.ran &&
      Math.abs(2 * row.macs / row.time_us / 1e6 / point['TFLOP/s'] - 1) < 1e-9 && row.speedup === point.speedup), JSON.stringify(point));
  }
}

function checkSweep() {
  writeFileSync(join(folder, 'space.yaml'), space);
  const {charts} = chartsOf('sweep', ['sweep', 'run', 'space.yaml', '--results', 'space.sqlite']);
  const {rows} = JSON.parse(execFileSync(program, ['sweep', 'export', 'space.yaml', '--results', 'space.sqlite', ...json], options));
  const front = charts['speedup over area mm2'];
  assert.deepEqual(front.rows.map(({point, area_mm2: area, speedup}) => [point, area, speedup]), rows.map(({point, area_mm2: area, speedup}) => [point, area, speedup]));
  assert.equal((front.svg.match(/<path [^>]*stroke="#000000"/g) ?? []).length >= 4, true, 'four points');
  assert.deepEqual(charts['parallel coordinates of all points'].rows.map(({speedup}) => speedup), rows.map(({speedup}) => speedup));
  const mean = (list) => Math.exp(list.reduce((sum, one) => sum + Math.log(one), 0) / list.length);
  const [first] = charts['what each axis does to speedup'].rows.filter(({axis}) => axis === 'gemm.pattern');
  const factors = [4, 8].map((sms) => {
    const group = rows.filter((one) => one['machine.accelerator.num_sms'] === sms);
    return group.find((one) => one['gemm.pattern'] === first.value).speedup / mean(group.map(({speedup}) => speedup));
  });
  near(first['times the mean speedup'], mean(factors), 'gemm.pattern');
}

function checkTta() {
  writeFileSync(join(folder, 'runs.csv'), 'epoch,acc\n1,50\n2,80\n3,90\n');
  writeFileSync(join(folder, 'more.csv'), 'epoch,acc\n1,40\n2,91\n3,92\n');
  writeFileSync(join(folder, 'experiment.yaml'), experiment);
  const {charts, document} = chartsOf('tta', ['tta', 'experiment.yaml'], ...json);
  const {rows} = charts['time to 90 on a100'];
  const [unit] = Object.keys(rows[0]).filter((key) => ['s', 'min', 'h'].includes(key));
  const scale = {s: 3600, min: 60, h: 1}[unit];
  for (const {scheme, hours} of document.results) {
    const row = rows.find(({name}) => name === scheme);
    near(row[unit], scale * hours.mean, scheme);
    near(row.from, scale * hours.interval[0], scheme);
  }
  const curve = charts['learning curves'].rows.filter((one) => one.curve === 'dense');
  assert.deepEqual(curve.map(({acc, least, most}) => [acc, least, most]), document.curves.find(({scheme}) => scheme === 'dense').points.map(({mean, least, most}) => [mean, least, most]));
}

function checkCompare() {
  writeFileSync(join(folder, 'before.json'), execFileSync(program, [...study, ...json], options));
  const {charts, document} = chartsOf('compare', ['compare', 'before.json', '--set', 'machines.0.accelerator.l2_cache.read_bytes_per_clk=2560'], ...json);
  const {rows} = charts['what moved'];
  assert.deepEqual(rows.map((row) => row['slower, µs more of a step'] ?? row['faster, µs more of a step']), document.rows.slice(0, rows.length).map((one) => one.change_us));
}

function checkPatterns() {
  const row = (pattern, least, today, then) => ({pattern, at_most: least, sparse_products: 4, products: 6, gain_today: today, gain_then: then, over_todays_dense: then,
    step_gain_then: 1.2, wider: [{part: 'selector', factor: 4, keys: ['sm.operand_selector.b_bytes_per_clk']}], area_mm2_today: 680, area_mm2: 700, area_ratio: 700 / 680,
    joules: null, energy_ratio: null, watts: null, selector_transistors_low: null, selector_transistors_high: null, selector_depth_low: null, selector_depth_high: null,
    losses: [{scheme: 'sdgp', network: 'ResNet-9', dataset: 'CIFAR-10', metric: 'top-1 %', loss: 0.6}]});
  const patterns = [row('1:8', 8, 1.46, 3.41), row('3:7', 7 / 3, 1.2, 2.25)];
  writeFileSync(join(folder, 'patterns.json'), JSON.stringify({schema: 'stcsim.patterns/1', version: '0', network: 'n', machine: 'm', scheme: 's', dtype: 'fp16', headline: 'h', next: '', patterns}));
  const {charts} = chartsOf('patterns', ['page', 'patterns.json', '-o', 'patterns.html']);
  assert.deepEqual(charts['gain by pattern'].rows.map((one) => Object.values(one).slice(0, 4)), patterns.map((one) => [one.pattern, one.gain_today, one.gain_then, one.at_most]));
  shows(charts['gain by pattern'], '3:7', 'patterns');
}

/** The same bytes again, and without node one error before anything is simulated or made. */
function checkFiles() {
  chartsOf('again', ['gemm', ...gemm], ...json);
  for (const file of readdirSync(join(folder, 'gemm'))) assert.equal(readFileSync(join(folder, 'again', file), 'utf8'), readFileSync(join(folder, 'gemm', file), 'utf8'), file);
  const {status, stderr, stdout} = spawnSync(program, ['gemm', ...gemm, '--svg', 'none'], {...options, env: {...process.env, STCSIM_NODE: '/nowhere/node'}});
  assert.deepEqual([status, stdout, existsSync(join(folder, 'none'))], [2, '', false]);
  assert.match(stderr, /^stcsim gemm: error: --svg needs node 18 or newer \(Debian's package nodejs\)[^\n]*\n$/);
  mkdirSync(join(folder, 'full', readdirSync(join(folder, 'gemm'))[0]), {recursive: true});
  const full = spawnSync(program, ['gemm', ...gemm, '--svg', 'full'], options);
  assert.deepEqual([full.status, readdirSync(join(folder, 'full')).filter((name) => name.endsWith('.new'))], [2, []]);
  assert.match(full.stderr, /cannot write the charts of --svg: EISDIR/);
}

/** Every chart as a picture of one column, no text of it cut off or over another. */
async function checkPictures(browser) {
  const page = await browser.newPage();
  const files = ['gemm', 'explain', 'run', 'sweep', 'tta', 'compare', 'patterns'].flatMap((name) => readdirSync(join(folder, name)).filter((one) => one.endsWith('.svg')).map((one) => join(folder, name, one)));
  for (const file of files) {
    await page.goto(pathToFileURL(file).href);
    const [tag, width, drawn] = await page.evaluate(() => [document.documentElement.tagName, document.documentElement.getAttribute('width'), document.querySelectorAll('path, rect').length]);
    assert.deepEqual([tag, width, drawn > 3], ['svg', '240pt', true], file);
    assert.deepEqual(await page.evaluate(overlaps, 'svg'), [], file);
  }
  console.log(`${files.length} pictures`);
}

/** What the page saves of each chart: the same numbers, and pictures for print and as shown. */
async function checkSaving(browser) {
  execFileSync(program, ['explain', ...gemm, '--html', 'explain.html'], {...options, stdio: 'ignore'});
  const page = await (await browser.newContext({acceptDownloads: true})).newPage();
  await page.goto(pathToFileURL(join(folder, 'explain.html')).href);
  const names = readdirSync(join(folder, 'explain')).filter((one) => one.endsWith('.csv'));
  assert.equal(await page.locator('details.save').count(), names.length);
  for (let i = 0; i < names.length; ++i) {
    const control = page.locator('details.save').nth(i);
    await control.locator('summary').click();
    const saved = async (button) => {
      const [download] = await Promise.all([page.waitForEvent('download'), control.getByText(button).click()]);
      await download.saveAs(join(folder, 'saved'));
      return [download.suggestedFilename(), readFileSync(join(folder, 'saved'), 'utf8')];
    };
    const [name, text] = await saved('CSV');
    assert.equal(text, readFileSync(join(folder, 'explain', name), 'utf8'), name);
    for (const [button, width] of [['one column', '240pt'], ['two columns', '504pt'], ['As shown', /^\d+$/]]) {
      const [file, svg] = await saved(button);
      assert.equal(file, name.replace(/csv$/, 'svg'));
      assert.match(svg.match(/ width="([^"]*)"/)[1], new RegExp(width));
      assert.match(svg, /<\/svg>\s*$/);
    }
  }
}

const browsers = new Browsers(() => chromiumOf(packages));
try {
  for (const check of [checkGemm, checkExplain, checkRun, checkSweep, checkTta, checkCompare, checkPatterns, checkFiles]) {
    check();
    console.log(check.name);
  }
  await browsers.draw('pictures', checkPictures);
  await browsers.draw('saving', checkSaving);
} finally {
  await browsers.end();
  rmSync(folder, {recursive: true});
}
