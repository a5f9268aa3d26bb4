// scripts/pages.mjs and `make release-check`, in a small tree of their own.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, before, beforeEach, test} from 'node:test';
import {fileURLToPath} from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const tree = mkdtempSync(join(tmpdir(), 'stcsim-pages-'));

const path = (file) => join(tree, file);
const write = (file, text) => {
  mkdirSync(dirname(path(file)), {recursive: true});
  writeFileSync(path(file), text);
};
/** As it is where no `make` runs these tests: beneath one, make says which folder it enters. */
const {MAKEFLAGS, MAKELEVEL, MFLAGS, ...env} = process.env;
const run = (command, words) => {
  const {status, stdout, stderr} = spawnSync(command, words, {cwd: tree, encoding: 'utf8', env});
  return {status, out: stdout + stderr};
};
const pages = (...words) => run('node', ['scripts/pages.mjs', ...words]);
const releaseCheck = () => run('make', ['release-check']);
/** A maker of both pages of target `first`, and of the one of `second`. */
const makeFirst = () => pages('make', 'first', 'bash', '-c', 'echo "# One" >results/one.md; printf "a,b\\n1,2\\n" >results/two.csv');
const makeSecond = () => pages('make', 'second', 'bash', '-c', 'echo "<svg></svg>" >results/three.svg');

/** The tree whose pages have been made. */
const madeTree = mkdtempSync(join(tmpdir(), 'stcsim-pages-'));
before(() => {
  for (const file of ['Makefile', 'scripts/pages.mjs']) write(file, readFileSync(join(root, file), 'utf8'));
  write('sim/job/behaviour_version.hpp', '// A comment.\ninline constexpr std::int64_t kBehaviourVersion = 7;\n');
  write('configs/a.yaml', '# Where it is from.\nx: 1\n');
  write('configs/b.yaml', 'x: 2\n');
  write('scripts/pages.txt', `# Two targets.
group simulator sim/job/behaviour_version.hpp
target first
pages results/one.md results/two.csv
from simulator configs/*.yaml
target second
pages results/*.svg
from results/one.md
`);
  mkdirSync(path('results'));
  for (const {status, out} of [makeFirst(), makeSecond()]) assert.equal(status, 0, out);
  cpSync(tree, madeTree, {recursive: true});
});
beforeEach(() => {
  rmSync(tree, {recursive: true});
  cpSync(madeTree, tree, {recursive: true});
});
after(() => [tree, madeTree].forEach((folder) => rmSync(folder, {recursive: true})));

test('pages carry what they were made from, and are not stale', () => {
  assert.match(readFileSync(path('results/one.md'), 'utf8'), /^# One\n<!-- made from simulator:7 configs\/\*\.yaml:[0-9a-f]{12} -->\n$/);
  assert.match(readFileSync(path('results/two.csv'), 'utf8'), /^# made from simulator:7 configs\/\*\.yaml:[0-9a-f]{12}\na,b\n1,2\n$/);
  assert.match(readFileSync(path('results/three.svg'), 'utf8'), /^<svg><\/svg>\n<!-- made from results\/one\.md:[0-9a-f]{12} -->\n$/);
  assert.deepEqual(releaseCheck(), {status: 0, out: ''});
});

test('what cannot change a page does not make it stale', () => {
  write('configs/a.yaml', '# Where else it is from.\nx: 1\n');
  write('sim/job/behaviour_version.hpp', '// Another comment.\ninline constexpr std::int64_t kBehaviourVersion = 7;\n');
  write('configs/a.csv', 'no,input\n');
  assert.equal(releaseCheck().status, 0);
});

test('a notebook is made of its cells, and carries that beside them', () => {
  const notebook = (source, outputs, metadata) =>
    `${JSON.stringify({cells: [{cell_type: 'code', outputs, source}], metadata, nbformat: 4}, null, 1)}\n`;
  const makeIt = () => pages('make', 'book', 'sed', '-i', 's/\\[\\]/["shown"]/', 'book.ipynb');
  write('book.ipynb', notebook(['1 +\n', ' 1'], [], {}));
  write('scripts/pages.txt', `${readFileSync(path('scripts/pages.txt'), 'utf8')}target book\npages book.ipynb\nfrom simulator book.ipynb\n`);
  assert.match(releaseCheck().out, /book\.ipynb: it does not say what it was made from\n/);
  assert.equal(makeIt().status, 0);
  const {made_from: said} = JSON.parse(readFileSync(path('book.ipynb'), 'utf8')).metadata;
  assert.match(said, /^simulator:7 book\.ipynb:[0-9a-f]{12}$/);
  assert.deepEqual(releaseCheck(), {status: 0, out: ''}, 'what it shows now is nothing that it is made of');
  assert.equal(makeIt().status, 0);
  assert.equal(readFileSync(path('book.ipynb'), 'utf8'), notebook(['1 +\n', ' 1'], ['shown'], {made_from: said}));
  write('book.ipynb', notebook(['1 +\n', ' 2'], ['shown'], {made_from: said}));
  assert.match(releaseCheck().out, /^stale \(make book\): book\.ipynb: new since: book\.ipynb\n/);
});

test('a release is refused while a page is stale, and the page says why', () => {
  write('configs/b.yaml', 'x: 3\n');
  const {status, out} = releaseCheck();
  assert.notEqual(status, 0);
  assert.match(out, /^stale \(make first\): results\/one\.md and 1 more: new since: configs\/\*\.yaml\n/);
  assert.equal(makeFirst().status, 0);
  assert.equal(releaseCheck().status, 0, 'made anew as it was, a page makes no other stale');
});

test('another version of the simulator, a file more, a page that another is made of', () => {
  write('sim/job/behaviour_version.hpp', 'inline constexpr std::int64_t kBehaviourVersion = 8;\n');
  assert.match(releaseCheck().out, /results\/one\.md and 1 more: new since: simulator\n/);
  assert.equal(makeFirst().status, 0);
  write('configs/c.yaml', 'x: 4\n');
  assert.match(releaseCheck().out, /new since: configs\/\*\.yaml\n/);
  assert.equal(pages('make', 'first', 'bash', '-c', 'echo "# Two" >results/one.md; touch results/two.csv').status, 0);
  assert.match(releaseCheck().out, /^stale \(make second\): results\/three\.svg: new since: results\/one\.md\n/);
});

test('an input that changes while the page is made makes it stale', () => {
  assert.equal(pages('make', 'first', 'bash', '-c', 'echo x: 5 >configs/b.yaml; touch results/one.md results/two.csv').status, 0);
  assert.match(releaseCheck().out, /stale \(make first\)/);
});

test('pages without a stamp, without a maker, left over, and inputs that are not there', () => {
  write('results/one.md', '# One\n');
  assert.match(releaseCheck().out, /results\/one\.md: it does not say what it was made from\n/);
  assert.equal(makeFirst().status, 0);
  write('results/four.md', '# Four\n');
  assert.match(releaseCheck().out, /^results\/four\.md: no target of scripts\/pages\.txt makes it\n/);
  const left = pages('make', 'first', 'bash', '-c', 'echo "# One" >results/one.md');
  assert.equal(left.status, 1);
  assert.match(left.out, /make first left results\/two\.csv as it was/);
  assert.equal(pages('make', 'first', 'bash', '-c', 'exit 3').status, 3);
  rmSync(path('sim/job/behaviour_version.hpp'));
  assert.deepEqual(pages('stale'), {status: 2, out: 'scripts/pages.txt: no such file: sim/job/behaviour_version.hpp\n'});
});

test('the table of this repository names files that are there, and every page', () => {
  const {status, stdout, stderr} = spawnSync('node', [join(root, 'scripts/pages.mjs'), 'stale'], {encoding: 'utf8'});
  assert.ok(status === 0 || status === 1, stderr);
  assert.doesNotMatch(stdout, /no target of|there is none/);
});
