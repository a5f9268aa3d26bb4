// node build.mjs PACKAGES OUT.html OUT.mjs: bundles the page (src/) with the packages below PACKAGES into one file, in which
// `stcsim page` fills in @TITLE@ and @DATA@, and into a program for node that writes the page's charts, for --svg.
// node build.mjs PACKAGES LIVE.js: the live page's script, and style.css beside it.

import {createHash} from 'node:crypto';
import {readFile, rename, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [packages, target, program] = process.argv.slice(2).map((one) => resolve(one));
const {build} = createRequire(join(packages, 'package.json'))('esbuild');

const common = {bundle: true, minify: true, write: false, outdir: 'out', legalComments: 'eof', charset: 'utf8', logLevel: 'warning',
                nodePaths: [join(packages, 'node_modules')]};
const replace = async (file, content) => {
  await writeFile(`${file}.new`, content);
  await rename(`${file}.new`, file);
};

const bundled = async (entry) => {
  const {outputFiles} = await build({...common, entryPoints: [join(here, entry)], format: 'iife', target: ['es2020']});
  return (suffix) => outputFiles.find((file) => file.path.endsWith(suffix)).text.trim();
};
if (!program) {
  const text = await bundled('src/live.js');
  await replace(target, text('.js'));
  await replace(join(dirname(target), 'style.css'), text('.css'));
  process.exit();
}

const text = await bundled('src/main.js');
const script = text('.js');
const hash = createHash('sha256').update(script, 'utf8').digest('base64');
const values = {SCRIPT_HASH: `sha256-${hash}`, STYLE: text('.css'), SCRIPT: script};
const shell = await readFile(join(here, 'src/shell.html'), 'utf8');
await replace(target, shell.replace(/@(SCRIPT_HASH|STYLE|SCRIPT)@/g, (_, name) => values[name]));

const figures = await build({...common, entryPoints: [join(here, 'src/figures.js')], format: 'esm', platform: 'node', target: ['node18']});
await replace(program, figures.outputFiles[0].text);
