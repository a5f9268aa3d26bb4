// pages.mjs: whether pages below results/, and notebooks, are still what their commands would make. scripts/pages.txt says what
// they are made of; every page carries the hashes of that, as it was, in a comment, a notebook in its metadata.
//
//   node scripts/pages.mjs stale [TARGET]            names stale pages and what is new of what they are made of; 1 if any are
//   node scripts/pages.mjs targets                   the targets, in the order of making
//   node scripts/pages.mjs make TARGET COMMAND...    runs COMMAND, then writes those hashes into the pages that it made
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const tableFile = 'scripts/pages.txt';
/** Not made anew: it was sealed on its day. */
const sealed = 'results/predictions.csv';

class TableError extends Error {}

/** Files of a pattern with * and ? in any part of it, in the order of their names. */
function filesOf(pattern) {
  let found = ['.'];
  for (const part of pattern.split('/')) {
    const form = new RegExp(`^${part.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.')}$`);
    found = found.filter((folder) => statSync(folder).isDirectory())
      .flatMap((folder) => readdirSync(folder).filter((name) => form.test(name)).sort().map((name) => join(folder, name)));
  }
  return found.filter((path) => statSync(path).isFile());
}

/** {groups: name => patterns, targets: [{name, pages, from}]} */
function readTable() {
  const groups = new Map();
  const targets = [];
  readFileSync(tableFile, 'utf8').split('\n').forEach((line, at) => {
    const [kind, ...words] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (kind === 'group') groups.set(words[0], words.slice(1));
    else if (kind === 'target') targets.push({name: words[0], pages: [], from: []});
    else if ((kind === 'pages' || kind === 'from') && targets.length > 0) targets.at(-1)[kind].push(...words);
    else if (kind !== '') throw new TableError(`${tableFile}:${at + 1}: '${kind}' must be group or target, below a target pages or from`);
  });
  return {groups, targets};
}

const stampLine = /^(?:<!-- made from |# made from | *"made_from": ")(.*?)(?: -->|",?)?\r?$/;
const isComment = /^\s*#/;

const isNotebook = (file) => file.endsWith('.ipynb');

/** Of a notebook what is to be run and read, not what it shows. */
const textOf = (file, text = readFileSync(file, 'utf8')) =>
  isNotebook(file) ? JSON.parse(text).cells.map(({source}) => source.join('')).join('\n') : text;

/** Lines that can change a page: no comments of YAML and CSV, and nothing that a page says of its own making. */
const linesOf = (file) => textOf(file).split('\n')
  .filter((line) => !stampLine.test(line) && !(/\.(yaml|csv)$/.test(file) && isComment.test(line)));

/** Of all files that a word of the table stands for; the simulator says its own. */
function hashOf(word, groups) {
  const files = (groups.get(word) ?? [word]).flatMap((pattern) => {
    const found = filesOf(pattern);
    if (found.length === 0) throw new TableError(`${tableFile}: no such file: ${pattern}`);
    return found;
  });
  if (word === 'simulator') return /kBehaviourVersion = (\d+);/.exec(readFileSync(files[0], 'utf8'))[1];
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0${linesOf(file).join('\n')}\0`);
  return hash.digest('hex').slice(0, 12);
}

const known = new Map();

/** What the target's pages would be made from now: word => hash. */
function madeFromNow({from}, groups) {
  for (const word of from) if (!known.has(word)) known.set(word, hashOf(word, groups));
  return new Map(from.map((word) => [word, known.get(word)]));
}

/** What the page says; nothing if it does not. */
function madeFrom(page) {
  const stamp = readFileSync(page, 'utf8').split('\n').map((line) => stampLine.exec(line)).find((match) => match);
  return stamp && new Map(stamp[1].split(' ').map((one) => [one.slice(0, one.lastIndexOf(':')), one.slice(one.lastIndexOf(':') + 1)]));
}

/** Why the page is stale; '' if it is not. */
function newsOf(page, now) {
  const said = madeFrom(page);
  if (!said) return 'it does not say what it was made from';
  const words = [...now].filter(([word, hash]) => said.get(word) !== hash).map(([word]) => word);
  const gone = [...said.keys()].filter((word) => !now.has(word)).map((word) => `no more ${word}`);
  return [...words, ...gone].length === 0 ? '' : `new since: ${[...words, ...gone].join(' ')}`;
}

/** A line for all pages of a target that are stale for the same reason. */
function staleLines(target, groups) {
  const now = madeFromNow(target, groups);
  const byNews = new Map();
  for (const pattern of target.pages) {
    const pages = filesOf(pattern);
    const found = pages.length === 0 ? [[pattern, 'there is none']] : pages.map((page) => [page, newsOf(page, now)]);
    for (const [page, news] of found) if (news) byNews.set(news, [...byNews.get(news) ?? [], page]);
  }
  return [...byNews].map(([news, [first, ...more]]) =>
    `stale (make ${target.name}): ${first}${more.length > 0 ? ` and ${more.length} more` : ''}: ${news}`);
}

function unlistedLines(targets) {
  const listed = new Set([sealed, ...targets.flatMap(({pages}) => pages.flatMap(filesOf))]);
  return [...filesOf('results/*'), ...filesOf('results/*/*')].filter((page) => !listed.has(page))
    .map((page) => `${page}: no target of ${tableFile} makes it`);
}

function stale(name) {
  const {groups, targets} = readTable();
  const asked = targets.filter((target) => !name || target.name === name);
  if (asked.length === 0) throw new TableError(`${tableFile}: no target '${name}'`);
  const lines = [...asked.flatMap((target) => staleLines(target, groups)), ...name ? [] : unlistedLines(targets)];
  for (const line of lines) console.log(line);
  return lines.length > 0 ? 1 : 0;
}

function stamped(page, text, said) {
  if (isNotebook(page)) {
    const notebook = JSON.parse(text);
    notebook.metadata.made_from = said;
    return `${JSON.stringify(notebook, null, 1)}\n`;
  }
  const bare = text.split('\n').filter((line) => !stampLine.test(line)).join('\n');
  const ended = bare.endsWith('\n') ? bare : `${bare}\n`;
  return page.endsWith('.csv') ? `# made from ${said}\n${ended}` : `${ended}<!-- made from ${said} -->\n`;
}

function writeStamp(page, now) {
  writeFileSync(`${page}.new`, stamped(page, readFileSync(page, 'utf8'), [...now].map((one) => one.join(':')).join(' ')));
  renameSync(`${page}.new`, page);
}

/** What changes while the command runs, the pages were perhaps not made from: hashes are those of before. */
function make(name, [command, ...words]) {
  const {groups, targets} = readTable();
  const target = targets.find((one) => one.name === name);
  if (!target || !command) throw new TableError(`${tableFile}: no target '${name}', or no command for it`);
  const now = madeFromNow(target, groups);
  const before = new Map(target.pages.flatMap(filesOf).map((page) => [page, statSync(page).mtimeMs]));
  const {status} = spawnSync(command, words, {stdio: 'inherit'});
  if (status !== 0) return status ?? 1;
  const pages = target.pages.flatMap(filesOf);
  const made = pages.filter((page) => statSync(page).mtimeMs !== before.get(page));
  for (const page of made) writeStamp(page, now);
  for (const page of pages) if (!made.includes(page)) console.error(`pages.mjs: make ${name} left ${page} as it was: is it to go?`);
  return made.length === pages.length ? 0 : 1;
}

const [what, name, ...command] = process.argv.slice(2);
try {
  if (what === 'stale') process.exitCode = stale(name);
  else if (what === 'targets') console.log(readTable().targets.map((target) => target.name).join('\n'));
  else if (what === 'make') process.exitCode = make(name, command);
  else throw new TableError('pages.mjs stale [TARGET] | targets | make TARGET COMMAND...');
} catch (error) {
  if (!(error instanceof TableError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
