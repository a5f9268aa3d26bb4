// node site.mjs PROGRAM PACKAGES [SITE]: the site of `make site`, or one that it makes, of a few machines or with
// STCSIM_ALL_MACHINES=1 of all, in a headless Chromium: no link and no name that leads nowhere, no page that no link leads to, a
// first view of 1 MB at most; every page, the live page with an answer among them, on a phone, a desktop and a large screen,
// light and dark: no error, no request elsewhere, nothing wider than the screen, no text over another or too faint; the keyboard
// reaches all that can be chosen, in sight; the front page's form leads to an answer. STCSIM_SCREENSHOTS=DIR keeps pictures.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, statSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {extname, join, normalize, relative, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

import {Browsers, chromiumOf} from './browsers.mjs';
import {faintTexts, overlappingTexts} from './drawn_text.mjs';

const [program, packages] = process.argv.slice(2, 4).map((one) => resolve(one));
const screenshots = process.env.STCSIM_SCREENSHOTS;
const mostBytes = 1e6;   // of the first view
const widths = [390, 1280, 2560];
const below = '/some/where/';   // a site needs not be at the root of its host
const livePage = 'live/live.html';
/** Those but pages that the program makes, whose tests are others. */
const isOwn = (page) => !/^results\/atlas_page/.test(page);

const scratch = mkdtempSync(join(tmpdir(), 'stcsim-site-'));
function madeHere() {
  const folder = join(scratch, 'site');
  const some = process.env.STCSIM_ALL_MACHINES ? [] : ['a100,h100_sxm,ideal'];
  execFileSync('node', [fileURLToPath(new URL('../../scripts/site/site.mjs', import.meta.url)), program, packages, folder, ...some], {stdio: ['ignore', 'inherit', 'inherit']});
  return folder;
}
const site = process.argv[4] ? resolve(process.argv[4]) : madeHere();
const files = readdirSync(site, {recursive: true}).map(String).filter((name) => statSync(join(site, name)).isFile());
const pages = files.filter((name) => name.endsWith('.html'));

const hasLive = files.includes(livePage);

/** Addresses of a page's links and of what it loads, and the names in it. */
function partsOf(page) {
  const html = readFileSync(join(site, page), 'utf8').replace(/<script[\s\S]*?<\/script>/g, '');
  const values = (form) => [...html.matchAll(form)].map(([, value]) => value.replaceAll('&amp;', '&'));
  return {links: values(/<a\b[^>]*? href="([^"]*)"/g), loads: [...values(/<link\b[^>]*? href="([^"]*)"/g), ...values(/ src="([^"]*)"/g), ...values(/ action="([^"]*)"/g)],
          names: new Set(values(/ id="([^"]*)"/g))};
}

function checkLinks() {
  assert.ok(pages.includes('index.html'), `${site} has no front page`);
  const parts = new Map(pages.map((page) => [page, partsOf(page)]));
  const wrong = [];
  const reached = new Set(['index.html']);
  for (const page of reached) {   // grows
    if (!parts.has(page)) continue;
    const {links, loads} = parts.get(page);
    wrong.push(...loads.filter((address) => /^(https?:)?\/\//.test(address)).map((address) => `${page} loads ${address}`));
    for (const address of [...links, ...loads].filter((one) => !/^[a-z]+:/.test(one))) {
      const [path, name] = address.split('#');
      const place = path === '' ? page : normalize(join(page, '..', decodeURI(path.replace(/\?.*/, ''))));
      if (!files.includes(place)) wrong.push(`${page}: no such file: ${address}`);
      else if (name && !parts.get(place)?.names.has(decodeURIComponent(name))) wrong.push(`${page}: no such name: ${address}`);
      else reached.add(place);
    }
  }
  wrong.push(...pages.filter((page) => !reached.has(page)).map((page) => `${page}: no link leads there`));
  const asked = readFileSync(new URL('../../docs/asked.md', import.meta.url), 'utf8').match(/`live\.html\?/g).length;
  const linked = parts.get('docs/asked.html').links.filter((address) => address.startsWith('../live/live.html?')).length;
  if (linked !== (hasLive ? asked : 0)) wrong.push(`docs/asked.html: ${linked} of ${asked} GEMMs lead to the live page`);
  assert.deepEqual(wrong, []);
  console.log(`links of ${pages.length} pages lead somewhere`);
}

const types = {'.html': 'text/html', '.css': 'text/css', '.svg': 'image/svg+xml', '.js': 'text/javascript', '.wasm': 'application/wasm'};
/** What an address is in the site. */
const pathOf = (url) => decodeURI(url.replace(/[?#].*/, '')).slice(below.length);
const server = createServer(({url}, answer) => {
  const path = pathOf(url);
  if (!url.startsWith(below) || !files.includes(path)) return answer.writeHead(404).end();
  return answer.writeHead(200, {'content-type': types[extname(path)] ?? 'text/plain'}).end(readFileSync(join(site, path)));
});
await new Promise((listening) => { server.listen(0, '127.0.0.1', listening); });
const host = `http://127.0.0.1:${server.address().port}`;

/** The browser's page, with what should not happen in it, and the bytes that came. */
async function tabOf(browser) {
  const tab = {page: await browser.newPage(), wrong: [], bytes: 0};
  tab.page.on('console', (message) => tab.wrong.push(`${message.type()}: ${message.text()}`));
  tab.page.on('pageerror', (error) => tab.wrong.push(String(error)));
  tab.page.on('request', (request) => { if (!request.url().startsWith(`${host}${below}`) && !request.url().startsWith('data:')) tab.wrong.push(`request: ${request.url()}`); });
  tab.page.on('requestfailed', (request) => tab.wrong.push(`failed: ${request.url()}`));
  tab.page.on('response', (response) => {
    if (response.status() >= 400) tab.wrong.push(`${response.status()}: ${response.url()}`);
    else if (response.url().startsWith(host)) tab.bytes += statSync(join(site, pathOf(response.url().slice(host.length)))).size;
  });
  return tab;
}

/** The page, and of the live page the answer, why, and what else can be opened. */
async function open(page, name) {
  await page.goto(`${host}${below}${name}`);
  if (name !== livePage) return;
  await page.locator('#why .falls').waitFor({timeout: 120_000});
  await page.evaluate(() => document.querySelectorAll('details:not(.save)').forEach((one) => { one.open = true; }));
}

/** What is wrong with a page, in all widths and colours. */
async function faultsOf(tab, name) {
  const {page} = tab;
  const found = [];
  Object.assign(tab, {wrong: [], bytes: 0});
  await page.setViewportSize({width: widths[0], height: 900});
  await open(page, name);
  if (!await page.title()) found.push('no title');
  for (const width of widths) {
    await page.setViewportSize({width, height: 900});
    const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
    if (wide > width) found.push(`${width}: ${wide} pixels wide`);
    found.push(...(await page.evaluate(overlappingTexts)).map((one) => `${width}: ${one}`));
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({colorScheme});
      if (name === livePage) await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme, {polling: 20});
      if (width === widths[0]) found.push(...(await page.evaluate(faintTexts)).map((one) => `${colorScheme}: ${one}`));   // colours know no width
      if (screenshots) await page.screenshot({path: join(screenshots, `${name.replaceAll('/', '_')}-${width}-${colorScheme}.png`)});
    }
  }
  return [...found, ...tab.wrong].map((one) => `${name}, ${one}`);
}

/** What has the focus: its number among all that can have it, and whether that is seen; null where nothing has. */
function focused() {
  const all = [...document.querySelectorAll('a[href], button, input, select, summary')].filter((one) => one.checkVisibility());
  const one = document.activeElement;
  if (one === null || one === document.body || one === document.documentElement) return null;
  const [box, style] = [one.getBoundingClientRect(), getComputedStyle(one)];
  const isSeen = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  return {number: all.indexOf(one), of: all.length, what: one.outerHTML.slice(0, 80), isSeen: isSeen && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2};
}

async function checkKeyboard(tab, name) {
  const {page} = tab;
  await page.setViewportSize({width: 1280, height: 900});
  await open(page, name);
  const seen = new Set();
  let last = -1;
  let count = 0;
  for (;;) {
    await page.keyboard.press('Tab');
    const now = await page.evaluate(focused);
    if (now === null || (now.number === 0 && seen.size > 0)) break;
    assert.ok(now.isSeen, `${name}: the focus is not seen on ${now.what}`);
    if (now.number < 0) continue;   // a box that scrolls
    assert.ok(now.number > last, `${name}: the focus goes back to ${now.what}`);
    [last, count] = [now.number, now.of];
    seen.add(now.number);
  }
  assert.equal(seen.size, count, `${name}: Tab reaches ${seen.size} of ${count}`);
  if (name === livePage) return count;   // which has nothing to skip
  await page.goto(`${host}${below}${name}`);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(() => document.activeElement.closest('main') !== null), `${name}: the skip link skips nothing`);
  return count;
}

/** The form of the front page opens the live page, which simulates what it says. */
async function checkForm({page}) {
  const began = performance.now();
  await page.goto(`${host}${below}index.html`);
  await page.locator('.try input[name=m]').fill('1000');
  await page.locator('.try select').selectOption('a100');
  await page.locator('.try button').click();
  await page.waitForFunction(() => /--arch a100 .*--m 1000 /.test(document.getElementById('command')?.textContent) && Number(document.getElementById('answer').dataset.cycles) > 0, undefined, {polling: 50});
  console.log(`from the front page to the answer of a GEMM: ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

const browsers = new Browsers(() => chromiumOf(packages));
try {
  checkLinks();
  const faults = [];
  const tabs = new WeakMap();
  const withTab = (what, check) => browsers.draw(what, async (browser) => {
    if (!tabs.has(browser)) tabs.set(browser, await tabOf(browser));
    await check(tabs.get(browser));
  });
  await withTab('front page', async (tab) => {
    faults.push(...await faultsOf(tab, 'index.html'));
    assert.ok(tab.bytes <= mostBytes, `the first view takes ${tab.bytes} bytes`);
    console.log(`the first view takes ${tab.bytes} bytes`);
  });
  if (hasLive) await withTab('form', checkForm);
  const own = pages.filter(isOwn).sort();
  for (const name of own.filter((one) => one !== 'index.html')) await withTab(name, async (tab) => { faults.push(...await faultsOf(tab, name)); });
  assert.deepEqual(faults, []);
  for (const name of ['index.html', 'docs/questions.html', 'machines/index.html', 'machines/a100.html', 'results/validation.html', 'schemas/index.html', livePage].filter((one) => pages.includes(one))) {
    await withTab(`keys of ${name}`, async (tab) => console.log(`${name}: Tab reaches ${await checkKeyboard(tab, name)}`));
  }
  console.log(`${own.length} pages, on ${widths.join(', ')} pixels, light and dark`);
} finally {
  await browsers.end();
  server.close();
  rmSync(scratch, {recursive: true, force: true});
}
