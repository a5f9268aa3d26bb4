// node site.mjs PROGRAM PACKAGES FOLDER [MACHINE,...]: makes the site in FOLDER, for any host of static files: the documents, the
// results and the machines of this checkout (all, or those named) as pages, and the live page if build-wasm/live has it.

import {execFile, execFileSync} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {basename, dirname, join, normalize, relative, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {promisify} from 'node:util';

import {csvRows} from '../../page/src/data.js';
import {escaped, pictureOf, rendered, wholeOptions} from './markdown.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [program, packages, folder] = process.argv.slice(2, 5).map((one) => resolve(one));
process.chdir(join(here, '../..'));
process.env.STCSIM_CONFIG_DIR = resolve('configs');

const namesIn = (directory, suffix) => readdirSync(directory).filter((name) => name.endsWith(suffix)).sort();
const machines = process.argv[5]?.split(',') ?? namesIn('configs/arch', '.yaml').map((name) => basename(name, '.yaml'));
const kinds = ['machine', 'library', 'framework', 'scheme', 'network', 'experiment', 'tta', 'training', 'space', 'system', 'cost',
               'final_values', 'to_target', 'seeds'];
const size = 4096;   // of the GEMM that pages show, in each dimension
const hasLive = existsSync('build-wasm/live/live.html');
const hasAtlas = existsSync('out/atlas/atlas.html');

const documents = [...['README', 'CONTRIBUTING', 'CHANGELOG'].map((name) => `${name}.md`),
                   ...['docs', 'results'].flatMap((directory) => readdirSync(directory, {recursive: true}).filter((name) => name.endsWith('.md'))
                     .sort().map((name) => `${directory}/${name}`))];
const isShownAsIs = /\.(svg|csv|json|ipynb)$/;

const copied = new Set();   // files that pages link to
const shown = new Set();    // the same, as pages of text; of folders, as lists

/** Where a file or folder of the repository is in the site. */
function placeOf(path, from) {
  if (path === 'README.md') return 'about.html';
  if (documents.includes(`${path}/README.md`)) return `${path}/index.html`;
  if (documents.includes(path)) return path.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html');
  const machine = /^configs\/arch\/(\w+)\.yaml$/.exec(path)?.[1];
  if (machine && machines.includes(machine)) return `machines/${machine}.html`;
  if (/^results(\/papers)?$/.test(path)) return 'results/index.html';
  if (!existsSync(path)) throw new Error(`${from}: no page and no file: ${path}`);
  (isShownAsIs.test(path) ? copied : shown).add(path);
  if (isShownAsIs.test(path)) return path;
  return statSync(path).isDirectory() ? `files/${path}/index.html` : `files/${path}.html`;
}

function linkFrom(document, address) {
  if (/^[a-z]+:|^#/.test(address)) return address;
  const [path, ...name] = address.split('#');
  const place = placeOf(normalize(join(dirname(document), path)).replace(/\/$/, ''), document);
  return [to(placeOf(document), place), ...name].join('#');
}

/** The room that a picture takes, before it is there. */
function sizeOf(path) {
  const [, width, height] = /<svg[^>]* width="(\d+)[^"]*" height="(\d+)/.exec(readFileSync(path, 'utf8')) ?? [];
  return width ? ` width="${width}" height="${height}"` : '';
}

/** From one page to another, or to the start of it. */
const to = (page, other) => relative(dirname(page), other) || basename(other);

const sections = [['docs/tutorial.html', 'Tutorial'], ['docs/questions.html', 'Questions'], ['docs/asked.html', 'Asked'],
                  ...(hasLive ? [['live/live.html', 'Simulate a GEMM']] : []),
                  ['machines/index.html', 'Machines'], ['results/index.html', 'Results'], ['docs/index.html', 'Documents']];

function linksOf(page) {
  const isEntry = sections.some(([other]) => other === page);
  const isIn = (other) => !isEntry && basename(other) === 'index.html' && page.startsWith(`${dirname(other)}/`);
  return sections.map(([other, name]) =>
    `<a href="${to(page, other)}"${other === page ? ' aria-current="page"' : isIn(other) ? ' aria-current="true"' : ''}>${name}</a>`);
}

function write(page, title, body) {
  mkdirSync(dirname(join(folder, page)), {recursive: true});
  writeFileSync(join(folder, page), `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to(page, 'style.css')}">
<title>${escaped(title)}</title>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${to(page, 'index.html')}">stcsim</a>
<nav aria-label="Site">
${linksOf(page).join('\n')}
</nav>
</header>
<main class="site" id="content" tabindex="-1">
${body}
</main>
<footer>stcsim ${version}. <a href="${to(page, 'about.html')}">What it is and how to install it</a></footer>
</body>
</html>
`);
}

const titled = (title) => (/stcsim/i.test(title) ? title : `${title} - stcsim`);
const contents = (headings) => (headings.length < 4 ? '' : `<details class="contents"><summary>Contents</summary><ul>
${headings.map(({text, id}) => `<li><a href="#${escaped(id)}">${escaped(text)}</a></li>`).join('\n')}
</ul></details>`);

/** @returns its title */
function writeDocument(document) {
  const {html, title, headings} = rendered(readFileSync(document, 'utf8'), (address) => linkFrom(document, address),
                                          (address) => sizeOf(join(dirname(document), address)), (query) => liveLink(placeOf(document), query));
  const list = contents(headings.filter(({level}) => level === 2));
  write(placeOf(document), titled(title), html.replace('</h1>', (end) => `${end}\n${list}`));
  return title;
}

/** Where documents name the live page and what it shall simulate. */
const liveLink = (page, query) => (hasLive ? `<a href="${escaped(`${to(page, 'live/live.html')}?${query}`)}">simulate it here</a>` : null);
const link = (page, path, text) => `<a href="${to(page, placeOf(path, page))}">${escaped(text)}</a>`;
const isNumber = (html) => /^[-+−]?[\d.,]+( %)?$/.test(html);
/** How a cell of a table stands: numbers to the right, long texts in lines. */
function cellOf(html) {
  if (isNumber(html)) return `<td class="number">${html}</td>`;
  return html.length > 34 && !html.startsWith('<a') ? `<td class="long">${html}</td>` : `<td>${html}</td>`;
}
const listOf = (items) => `<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`;
const tableOf = (heads, rows) => `<div class="pane"><table>
<thead><tr>${heads.map((head, at) => `<th scope="col"${rows.every((cells) => isNumber(cells[at])) ? ' class="number"' : ''}>${escaped(head)}</th>`).join('')}</tr></thead>
<tbody>
${rows.map((cells) => `<tr>${cells.map(cellOf).join('')}</tr>`).join('\n')}
</tbody></table></div>`;

function writeResults(titles) {
  const page = 'results/index.html';
  const of = (directory) => listOf(documents.filter((path) => dirname(path) === directory).map((path) => link(page, path, titles.get(path))));
  write(page, 'Results - stcsim', `<h1>Results</h1>
<p class="lead">Each page is made by a command that it names, from what is checked in. <a href="atlas.html">The atlas</a>: what the fastest scheme
gains of every network on every GPU.</p>
${of('results')}
<h2>Publications redone</h2>
${of('results/papers')}
<h2>Tables and pictures</h2>
${listOf(readdirSync('results').filter((name) => /\.(csv|svg)$/.test(name)).sort().map((name) => link(page, `results/${name}`, name)))}`);
}

const atlasPicture = (address, source) =>
  pictureOf(address, `<img src="${source}"${sizeOf('results/atlas.svg')} loading="lazy" alt="A map of gains: a row for each network, a column for each GPU">`);

function writeAtlas() {
  const page = 'results/atlas.html';
  const whole = hasAtlas ? `<p><a class="go" href="atlas_page.html">Every scheme: click a gain to see what is lost where</a></p>`
    : `<p>A page of every scheme, where a click says what is lost where, is <code>out/atlas/atlas.html</code> of <code>make atlas</code>;
this copy of the site was made without it.</p>`;
  if (hasAtlas) cpSync('out/atlas/atlas.html', join(folder, 'results/atlas_page.html'));
  write(page, 'Atlas - stcsim', `<h1>What the fastest scheme gains of a whole training</h1>
<p class="lead">Networks against GPUs. A gain is dense time over time, pruning charged.</p>
${whole}
${atlasPicture('atlas.svg', 'atlas.svg')}`);
  placeOf('results/atlas.svg', page);
}

/** Lines of YAML, comments quieter. */
const yamlOf = (text) => `<pre class="pane"><code>${
  escaped(text).replace(/(^|\s)#.*$/gm, (comment) => `<span class="comment">${comment}</span>`)}</code></pre>`;
const percent = (share) => (typeof share === 'number' ? `${(100 * share).toFixed(1)} %` : '');
const signed = (share) => (share >= 0 ? `+${percent(share)}` : percent(share).replace('-', '−'));

function errorsOf(page, machine) {
  const text = readFileSync('configs/validation/errors.csv', 'utf8').replace(/^#.*\n/gm, '');
  const rows = csvRows(text).filter((row) => row.machine === machine && row.regime === null);
  const what = `<a href="${to(page, 'results/validation.html')}">Predictions beside measurements</a>`;
  const all = link(page, 'configs/validation/errors.csv', 'errors.csv');
  if (rows.length === 0) return `<p>${all} has no row of this machine: its intervals are made of errors of other cards. ${what}.</p>`;
  return `${tableOf(['type', 'quantity', 'rows', 'mean error', 'bias'],
    rows.map((row) => [row.dtype ?? 'all', row.quantity, String(row.rows), percent(row.mean_absolute_error), signed(row.bias)]))}
<p class="note">Simulated over measured, less 1; the bias is its mean. <em>stream</em>: kernels beside GEMMs; <em>selection</em>: by how much gains are
claimed too large where the kernel is chosen by simulated times. Errors by regime: ${all}. ${what}.</p>`;
}

const asked = (machine, pattern) => ['gemm', '--arch', machine, '--m', size, '--n', size, '--k', size, '--sparsity', pattern].map(String);
const ask = async (...words) => (await promisify(execFile)(program, words, {maxBuffer: 1 << 28})).stdout;

/** Of those patterns the first that the machine multiplies. @returns {command, answer, json} */
async function askMachine(machine) {
  for (const pattern of ['2:4', '1:2', 'dense']) {
    const words = asked(machine, pattern);
    try {
      const [json, text] = await Promise.all([ask(...words, '--format', 'json'), ask(...words)]);
      const answer = text.split('\n').slice(0, text.split('\n').findIndex((line, at) => at > 1 && !line.startsWith('  '))).join('\n');
      return {command: `stcsim ${words.join(' ')}`, answer, json};
    } catch (error) {
      if (error.code !== 2) throw error;
    }
  }
  throw new Error(`${machine} multiplies none of the patterns`);
}

const answerOf = (command, answer) => `<pre class="pane answer"><code>$ ${wholeOptions(escaped(command))}
${escaped(answer)}</code></pre>`;
const simulate = (page, query) => (hasLive ? `<p><a class="go" href="${to(page, 'live/live.html')}?${query}">Simulate your GEMM on it in this browser</a></p>` : '');

function writeMachine(machine, description, {command, answer, json}, drawn) {
  const page = `machines/${machine}.html`;
  write(page, `${machine} - stcsim`, `<h1>${machine}</h1>
<p class="lead">${escaped(description)}</p>
${simulate(page, `arch=${machine}`)}
<div class="pictures">
<section>
<h2 id="gemm">One GEMM on it</h2>
${answerOf(command, answer)}
<div class="diagram">${drawn.diagramOf(json, 360)}</div>
<p class="note">From memory at the top to the multipliers: how much of the launch each unit was at work, and what came over each way in a
cycle, in the mean, of the most that it takes.</p>
</section>
<section>
<h2 id="errors">How far off it is</h2>
${errorsOf(page, machine)}
</section>
</div>
<h2 id="file">Its file</h2>
<p class="note">Comments name the source of each figure, or say that it is assumed. <a href="${to(page, 'docs/reference/machines.html')}">Every key</a>.</p>
${yamlOf(readFileSync(`configs/arch/${machine}.yaml`, 'utf8'))}`);
}

async function writeMachines(drawn) {
  const {entries} = JSON.parse(await ask('list', 'arch', '--format', 'json'));
  const descriptions = new Map(entries.map(({name, description}) => [name, description]));
  const answers = new Map();
  for (const machine of machines) answers.set(machine, await askMachine(machine));   // one of two cores each: as JSON, as text
  for (const machine of machines) writeMachine(machine, descriptions.get(machine), answers.get(machine), drawn);
  write('machines/index.html', 'Machines - stcsim', `<h1>Machines</h1>
<p class="lead">Those that exist, and those that nobody has built. Yours is a file like theirs: <a href="../docs/reference/machines.html">every key</a>,
and <a href="../schemas/index.html">JSON Schemas</a> for your editor.</p>
${tableOf(['machine', 'what it is'], machines.map((machine) => [`<a href="${machine}.html">${machine}</a>`, escaped(descriptions.get(machine))]))}`);
  return answers;
}

async function writeSchemas() {
  mkdirSync(join(folder, 'schemas'), {recursive: true});
  const rows = await Promise.all(kinds.map(async (kind) => {
    const text = await ask('list', 'schema', kind);
    writeFileSync(join(folder, `schemas/${kind}.json`), text);
    return [`<a href="${kind}.json">${kind}.json</a>`, escaped(JSON.parse(text).title)];
  }));
  write('schemas/index.html', 'Schemas - stcsim', `<h1>JSON Schemas of files</h1>
<p class="lead">An editor that knows one completes keys and names mistakes. The program prints them: <code>stcsim list schema KIND</code>.
What each key means: <a href="../docs/configuration.html">files and their references</a>.</p>
${tableOf(['schema', 'file'], rows)}`);
}

/** What the live page reads of its address. */
function formOf(page) {
  const number = (name) => `<label class="choice">${name.toUpperCase()} <input name="${name}" type="number" min="1" value="${size}" required></label>`;
  return `<form class="try" action="${to(page, 'live/live.html')}" method="get">
<label class="choice">machine <select name="arch">${machines.map((machine) => `<option${machine === 'h100_sxm' ? ' selected' : ''}>${machine}</option>`).join('')}</select></label>
${['m', 'n', 'k'].map(number).join('\n')}
<label class="choice">pattern <input name="sparsity" value="2:4" size="6" required></label>
<button>Simulate in this browser</button>
</form>`;
}

async function writeFront(answers, drawn) {
  const page = 'index.html';
  const machine = machines.includes('h100_sxm') ? 'h100_sxm' : machines[0];
  const {command, answer, json} = answers.get(machine);
  const study = ['run', '--network', 'bert_base_s384', '--arch', 'a100', '--schemes', 'slope'];
  write(page, 'stcsim: what sparsity gains on tensor cores', `<h1>What does sparsity gain on your GEMM?</h1>
<p class="lead">stcsim simulates training on sparse tensor cores, cycle by cycle: how long a GEMM or a training step takes on a GPU that
exists or on one that does not, what N:M sparsity gains there, and how sure that is.</p>
${hasLive ? formOf(page) : ''}<div class="pictures">
${answerOf(command, answer)}
<ul>
<li><a href="docs/tutorial.html">A tutorial</a>: twenty minutes with one model</li>
<li><a href="docs/questions.html">Questions and the commands that answer them</a>, and <a href="docs/asked.html">what others asked in public</a></li>
<li><a href="results/validation.html">How far off it is</a>, and <a href="results/counters.html">hardware counters beside it</a></li>
<li><a href="results/patterns_to_build.html">Which pattern to build</a>, if you build hardware</li>
<li><a href="docs/index.html">Documents</a>, <a href="results/index.html">results</a>, and <a href="about.html#install">how to install it</a></li>
</ul>
</div>
${hasLive ? '' : `<p class="note">The page that simulates your GEMM in the browser is not part of this copy of the site: <code>make wasm site</code>
adds it. <a href="about.html#install">Installed</a>, the program answers the same.</p>`}
<div class="pictures">
<section>
<h2 id="waterfall">Where a gain goes</h2>
${drawn.waterfallOf(await ask(...study, '--format', 'json'))}
<p class="note">A training step of BERT-Base: from the speedup of one multiplication to that of a whole training.
<code>stcsim ${study.join(' ')}</code></p>
</section>
<section>
<h2 id="machine">What a machine does</h2>
<div class="diagram">${drawn.diagramOf(json, 360)}</div>
<p class="note">The GEMM above on <a href="machines/${machine}.html">${machine}</a>. <a href="machines/index.html">All machines</a>, with the source of
each figure.</p>
</section>
</div>
<section>
<h2 id="atlas">What every network gains</h2>
${atlasPicture('results/atlas.html', 'results/atlas.svg')}
<p class="note">The fastest scheme of each network on each GPU: <a href="results/atlas.html">the atlas</a>.</p>
</section>`);
}

function writeFolder(path) {
  const page = placeOf(path);
  write(page, `${path} - stcsim`, `<h1>${escaped(path)}</h1>\n${listOf(readdirSync(path).sort().map((name) => link(page, `${path}/${name}`, name)))}`);
}

function writeFiles() {
  for (const path of shown) {   // grows
    if (statSync(path).isDirectory()) { writeFolder(path); continue; }
    const text = readFileSync(path, 'utf8');
    const code = /\.(ya?ml|cff|sh|py)$/.test(path) ? yamlOf(text) : `<pre class="pane"><code>${escaped(text)}</code></pre>`;
    write(`files/${path}.html`, `${path} - stcsim`, `<h1>${escaped(path)}</h1>\n${code}`);
  }
  for (const path of copied) cpSync(path, join(folder, path));
}

/** The live page stands alone; here it has a way to the rest. */
function writeLive() {
  if (!hasLive) return;
  cpSync('build-wasm/live', join(folder, 'live'), {recursive: true});
  const page = 'live/live.html';
  const links = [`<a href="${to(page, 'index.html')}">stcsim</a>`, ...linksOf(page).filter((link) => !link.includes('aria-current'))];
  writeFileSync(join(folder, page), readFileSync(join(folder, page), 'utf8').replace('<main>', `$&\n<nav class="note" aria-label="Site">${links.join(' · ')}</nav>`));
}

/** Dark where the reader's system is: pages have no script that would choose. */
function writeStyle() {
  const style = readFileSync('page/src/style.css', 'utf8').replace(/:root\[data-theme="dark"\] (\{[^}]*\})/, '@media (prefers-color-scheme: dark) { :root $1 }');
  writeFileSync(join(folder, 'style.css'), style + readFileSync(join(here, 'site.css'), 'utf8'));
}

/** The functions of drawn.js, bundled with the packages that it draws with. */
async function drawnBy() {
  const {build} = createRequire(join(packages, 'package.json'))('esbuild');
  const outfile = `${folder}.drawn.mjs`;
  await build({entryPoints: [join(here, 'drawn.js')], bundle: true, format: 'esm', platform: 'node', target: ['node18'], outfile,
               nodePaths: [join(packages, 'node_modules')], logLevel: 'warning'});
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}

const began = performance.now();
const version = execFileSync(program, ['--version'], {encoding: 'utf8'}).trim().replace(/^stcsim /, '').split('\n')[0];
rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});
const drawn = await drawnBy();
writeStyle();
await writeFront(await writeMachines(drawn), drawn);
await writeSchemas();
writeAtlas();
writeResults(new Map(documents.map((document) => [document, writeDocument(document)])));
writeFiles();
writeLive();
console.log(`site: ${folder}, in ${((performance.now() - began) / 1000).toFixed(0)} s${hasLive ? '' : '; without the live page (make wasm)'}`);
