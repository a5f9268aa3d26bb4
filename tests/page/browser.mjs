// node browser.mjs PROGRAM PACKAGES: opens pages that PROGRAM makes in a headless Chromium, on a phone, a desktop and a
// large screen, light and dark: no error, no request, nothing wider than the screen, every chart drawn, no label over
// another, legends in the colours of what they name. With STCSIM_SCREENSHOTS=DIR the pages are drawn there.
// Pages that stand still are drawn once more: browsers.mjs.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

import {factor} from '../../page/src/format.js';
import {smallAtlas} from './atlas.mjs';
import {Browsers, chromiumOf} from './browsers.mjs';
import {overlaps, strayColours} from './labels.mjs';
import {evil, largeStudy, writeDocuments} from './samples.mjs';

const [program, packages] = process.argv.slice(2);
const screenshots = process.env.STCSIM_SCREENSHOTS;
const mostRows = 60;  // of a long table that are elements
const widths = [390, 1280, 2560];
const opened = new WeakMap();

/** The browser's page; a new one for each file would take as long as drawing does. */
async function pageOf(browser) {
  if (opened.has(browser)) return opened.get(browser);
  const context = await browser.newContext({acceptDownloads: true});
  const shown = {page: await context.newPage(), wrong: [], file: ''};
  await shown.page.addInitScript(() => { window.drawsTexts = true; });
  shown.page.on('console', (message) => shown.wrong.push(`${message.type()}: ${message.text()}`));
  shown.page.on('pageerror', (error) => shown.wrong.push(String(error)));
  shown.page.on('request', (request) => {
    if (request.url() !== pathToFileURL(shown.file).href && !request.url().startsWith('data:')) shown.wrong.push(`request: ${request.url()}`);
  });
  opened.set(browser, shown);
  return shown;
}

/** Opens a page and collects everything that should not happen. */
async function open(browser, file, width, colorScheme) {
  const shown = await pageOf(browser);
  Object.assign(shown, {wrong: [], file});
  await shown.page.setViewportSize({width, height: 900});
  await shown.page.emulateMedia({colorScheme});
  await shown.page.goto(pathToFileURL(file).href);
  await until(shown.page, () => document.documentElement.dataset.ready === 'yes');
  return shown;
}

/** What was downloaded; a browser that is connected to says no path. */
async function textOf(download) {
  const file = join(folder, 'downloaded');
  await download.saveAs(file);
  return readFileSync(file, 'utf8');
}

/** Asks again and again by a timer: by itself, Playwright asks at every frame. */
const until = (page, isSo, argument) => page.waitForFunction(isSo, argument, {polling: 50});

const useTheme = async (page, colorScheme) => {
  await page.emulateMedia({colorScheme});
  await until(page, (theme) => document.documentElement.dataset.theme === theme, colorScheme);
};

/** Every chart, as where the page is printed: that takes no frame. */
const drawAll = (page) => page.evaluate(() => ['beforeprint', 'afterprint'].forEach((name) => window.dispatchEvent(new Event(name))));

/** Scrolls through the page: charts are drawn as they come into view. */
async function scrollThrough(page) {
  await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    for (let y = 0; y < document.documentElement.scrollHeight; y += window.innerHeight) {
      window.scrollTo(0, y);
      await frame();
    }
    await frame();
    window.scrollTo(0, 0);
  });
}

/** What is drawn now: no label over another, colours that a legend names, nothing wider than the screen. */
async function checkShown(page, name, width, colorScheme) {
  const where = `${name}, ${width} ${colorScheme}`;
  assert.deepEqual(await page.evaluate(overlaps), [], where);
  assert.deepEqual(await page.evaluate(strayColours), [], where);
  assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth) <= width, `${where}: wider than the screen`);
  if (screenshots) await page.screenshot({path: join(screenshots, `${name}-${width}-${colorScheme}.png`), fullPage: true});
}

/** The page of all documents as it is drawn now. */
async function checkDrawn(page, width, colorScheme) {
  await checkShown(page, 'page', width, colorScheme);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
  const charts = await page.evaluate(() => [...document.querySelectorAll('.chart')].map((one) =>
    one.querySelector('svg, canvas') !== null && one.clientHeight > 100));
  assert.ok(charts.length >= 9 && charts.every((one) => one), `charts drawn: ${charts}`);
}

/** A page of one kind of document; in one width, since colours know none, in both colour schemes. */
async function checkLabels(browser, file, name, width) {
  const {page, wrong} = await open(browser, file, width, 'light');
  await drawAll(page);
  for (const colorScheme of width === 1280 ? ['light', 'dark'] : ['light']) {
    await useTheme(page, colorScheme);
    await checkShown(page, name, width, colorScheme);
  }
  assert.deepEqual(wrong, [], name);
}

/** Opens the page in one colour scheme, and lets the system change to the other; on a desktop as a reader scrolls. */
async function checkPage(browser, file, width, colorSchemes) {
  const {page, wrong} = await open(browser, file, width, colorSchemes[0]);
  await (width === 1280 ? scrollThrough : drawAll)(page);
  await checkDrawn(page, width, colorSchemes[0]);
  await useTheme(page, colorSchemes[1]);
  await checkDrawn(page, width, colorSchemes[1]);
  await page.locator('#results input').fill('window.evil');
  assert.equal(await page.locator('#results tbody td').first().textContent(), evil);
  assert.equal(await page.evaluate(() => window.evil), undefined);
  await page.click('button.theme');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorSchemes[0]);
  assert.deepEqual(wrong, []);
}

/** The last level of each scheme's waterfall is what the study says that a training gains. */
async function checkWaterfalls(page, study) {
  for (const total of study.totals.filter((one) => one.sparse_share.gemms > 0)) {
    await page.locator('.chooser select').last().selectOption(total.scheme);
    assert.equal(await page.locator('#waterfall .fall.level .value').last().textContent(), factor(total.training.speedup), total.scheme);
  }
}

async function checkSections(browser, file, study) {
  const {page, wrong} = await open(browser, file, 1280, 'light');
  assert.match(await page.textContent('h1'), /^bert_base_s128 on a100: /);
  for (const id of ['matrix', 'parts', 'waterfall', 'layers', 'roofline', 'results', 'sure', 'paper', 'gemm', 'explain', 'curves',
                    'tta', 'tta-2', 'sweep', 'validation', 'provenance']) {
    assert.equal(await page.locator(`section#${id}`).count(), 1, id);
  }
  assert.match(await page.textContent('.detail-box .why'), /^Why: 2:4 gains/);
  await page.locator('.chooser select').last().selectOption('mvue-2-4');
  assert.match(await page.textContent('.detail-box h3'), /\(mvue-2-4\)/);
  await checkWaterfalls(page, study);
  await page.locator('table.matrix tbody tr', {hasText: 'slope'}).click();
  assert.match(await page.textContent('.detail-box h3'), /\(slope\)/);
  assert.deepEqual(wrong, []);
}

/** Points of both kinds over all their work, of one GEMM alone, and the front of two columns that are chosen. */
async function checkSweep(browser, file) {
  const {page, wrong} = await open(browser, file, 1280, 'light');
  const sweep = page.locator('#sweep');
  const all = sweep.locator('.told').last();
  assert.equal(await all.textContent(), '8 rows');
  assert.match(await sweep.textContent(), /[1-4] of 4 points are not beaten in both/);
  assert.equal(await sweep.locator('select').nth(1).locator('option').count(), 3, 'all work, and each GEMM alone');
  await sweep.locator('select').nth(1).selectOption({index: 2});
  await sweep.locator('select').nth(2).selectOption('joules');
  await sweep.locator('select').nth(3).selectOption('cycles');
  assert.match(await sweep.textContent(), /[1-4] of 4 points are not beaten in both/);
  await drawAll(page);
  assert.equal(await sweep.locator('.chart canvas, .chart svg').count(), 3);
  await sweep.locator('select').first().selectOption('step');
  assert.equal(await all.textContent(), '2 rows');
  assert.deepEqual(wrong, []);
}

/** Every figure of a paper with its charts and rows, on a phone as on a large screen; a CSV file of what is filtered. */
async function checkPaper(browser, file, width) {
  const {page, wrong} = await open(browser, file, width, 'light');
  await drawAll(page);
  assert.equal(await page.textContent('h1'), 'Structured data gradient pruning');
  assert.deepEqual(await page.locator('#paper > .tally li').allTextContents(),
    ['against measured, A100: 4 reproduced', 'against estimated, A100: 1 direction only2 not reproduced', 'arithmetic, computed: 3 consistent']);
  const [savings, layers, masks] = ['savings', 'figure_9', 'table_2'].map((name) => page.locator(`#paper-${name}`));
  const counts = await Promise.all([savings, layers, masks].map(async (one) =>
    [await one.locator('.chart svg').count(), await one.locator('tbody tr').count(), await one.locator('.missing li').count()]));
  assert.deepEqual(counts, [[2, 7, 2], [2, 60, 0], [3, 8, 0]]);
  assert.match(await savings.locator('tbody tr').nth(5).textContent(), /not obtained.*1\.02×.*Not obtained: a bar without a number/);
  assert.equal(await savings.locator('tbody tr').last().locator('td').first().textContent(), evil);
  assert.match(await savings.locator('tbody tr').last().textContent(), /not compared.*Not compared: it is about accuracy/);
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('table.tall td > div')].filter((one) =>
    one.checkVisibility() && one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)), [], 'texts that are cut off');
  assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth) <= width, `wider than ${width}`);
  await savings.locator('input').fill('charged');
  const [download] = await Promise.all([page.waitForEvent('download'), savings.locator('.tools').getByText('CSV').click()]);
  assert.match(await textOf(download), /^says,.*\r\n"step, pruning charged",gain of a step,ratio,1\.15,1\.25,.*\r\n$/);
  if (screenshots) await page.screenshot({path: join(screenshots, `paper-${width}.png`), fullPage: true});
  assert.deepEqual(wrong, []);
}

/** A click on a gain shows where it goes and the command; what is chosen changes what is shown. */
async function checkAtlas(browser, file) {
  const {page, wrong} = await open(browser, file, 1280, 'light');
  const maps = page.locator('#atlas table.map');
  assert.deepEqual([await maps.nth(0).locator('td.heat').count(), await maps.nth(1).locator('td.heat').count()], [4, 4]);
  await maps.nth(1).locator('td.heat').first().click();
  assert.match(await page.textContent('#atlas .details'), /Made by: stcsim run --network \S+ --arch a100 --schemes \S+$/);
  await page.locator('#atlas select').nth(2).selectOption('pytorch_compiled');
  await page.getByRole('tab', {name: 'rtx3090'}).click();
  await maps.nth(1).locator('td.heat').last().click();
  assert.match(await page.textContent('#atlas .details'), / --arch rtx3090 .* --framework pytorch_compiled$/);
  assert.deepEqual(wrong, []);
}

async function checkTable(browser, file, rows) {
  const {page, wrong} = await open(browser, file, 1280, 'light');
  const results = page.locator('#results');
  const shown = () => results.locator('tbody tr:not(.gap)').count();
  assert.equal(await results.locator('.told').textContent(), `${rows.length} rows`);
  assert.ok(await shown() <= mostRows, `${await shown()} rows are elements`);
  await results.locator('.pane').evaluate((pane) => { pane.scrollTop = pane.scrollHeight / 2; });
  await until(page, () => document.querySelectorAll('#results tr.gap').length === 2);
  assert.ok(await shown() <= mostRows && await shown() > 10);
  const wgrad = rows.filter((row) => row.phase === 'wgrad' && row.dense_cycles < row.cycles).length;
  await results.locator('input').fill('phase=wgrad speedup<1');
  assert.equal(await results.locator('.told').textContent(), `${wgrad} of ${rows.length} rows`);
  await results.locator('th', {hasText: 'cycles'}).first().click();
  const cycles = (await results.locator('tbody tr:not(.gap) td:nth-child(7)').allTextContents())
    .map((text) => Number(text.replaceAll(',', '')));
  assert.deepEqual(cycles, [...cycles].sort((a, b) => b - a));
  const [download] = await Promise.all([page.waitForEvent('download'), results.getByText('CSV').click()]);
  const lines = (await textOf(download)).split('\r\n');
  assert.match(lines[0], /^layer,phase,op,kind,scheme,repeat,cycles,/);
  assert.equal(lines.length, wgrad + 2);
  assert.deepEqual(wrong, []);
}

const folder = mkdtempSync(join(tmpdir(), 'stcsim-page-'));
const browsers = new Browsers(() => chromiumOf(packages));
try {
  const {files, more, study} = writeDocuments(program, folder);
  const report = (target, names) => {
    execFileSync(program, ['page', '-o', target, ...names], {cwd: folder, stdio: ['ignore', 'ignore', 'inherit']});
    return join(folder, target);
  };
  const page = report('page.html', [...files, '--explain', '2']);
  await browsers.draw('sections', (browser) => checkSections(browser, page, study));
  await browsers.draw('sweep', (browser) => checkSweep(browser, page));
  for (const [width, schemes] of [[390, ['dark', 'light']], [1280, ['light', 'dark']], [2560, ['dark', 'light']]]) {
    await browsers.draw(`page, ${width}`, (browser) => checkPage(browser, page, width, schemes));
  }
  writeFileSync(join(folder, 'atlas.json'), JSON.stringify(await smallAtlas(program)));
  // The page of all has the labels of `files`; alone, a kind of document is drawn on a desktop.
  for (const name of [...files, ...more, 'atlas.json']) {
    const file = report(`${name}.html`, [name]);
    for (const width of files.includes(name) ? [1280] : widths) await browsers.draw(`${name}, ${width}`, (browser) => checkLabels(browser, file, name, width));
  }
  await browsers.draw('atlas', (browser) => checkAtlas(browser, join(folder, 'atlas.json.html')));
  const paper = report('paper.html', ['paper.json']);
  for (const width of widths) await browsers.draw(`paper, ${width}`, (browser) => checkPaper(browser, paper, width));
  const large = largeStudy(study, 20000);
  writeFileSync(join(folder, 'large.json'), JSON.stringify(large));
  const largePage = report('large.html', ['large.json']);
  assert.ok(statSync(largePage).size < 15e6, `${statSync(largePage).size} bytes`);
  await browsers.draw('a large table', (browser) => checkTable(browser, largePage, large.results));
} finally {
  await browsers.end();
  rmSync(folder, {recursive: true});
}
