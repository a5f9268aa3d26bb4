// node build.mjs PACKAGES OUT.html: bundles the page (src/) with the packages below PACKAGES into one file, in which
// `stcsim page` fills in @TITLE@ and @DATA@.

import {createHash} from 'node:crypto';
import {readFile, rename, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [packages, target] = process.argv.slice(2).map((one) => resolve(one));
const {build} = createRequire(join(packages, 'package.json'))('esbuild');

const {outputFiles} = await build({
  entryPoints: [join(here, 'src/main.js')], bundle: true, minify: true, write: false, outdir: 'out', format: 'iife',
  target: ['es2020'], legalComments: 'eof', charset: 'utf8', logLevel: 'warning', nodePaths: [join(packages, 'node_modules')],
});
const text = (suffix) => outputFiles.find((file) => file.path.endsWith(suffix)).text.trim();
const script = text('.js');
const hash = createHash('sha256').update(script, 'utf8').digest('base64');
const values = {SCRIPT_HASH: `sha256-${hash}`, STYLE: text('.css'), SCRIPT: script};
const shell = await readFile(join(here, 'src/shell.html'), 'utf8');
await writeFile(`${target}.new`, shell.replace(/@(SCRIPT_HASH|STYLE|SCRIPT)@/g, (_, name) => values[name]));
await rename(`${target}.new`, target);
