// node figures.mjs DIRECTORY: reads the documents of a page, JSON on standard input, and writes each chart of that page as
// DIRECTORY/TITLE.svg, for print, and its numbers as DIRECTORY/TITLE.csv. Says how many there are, or what is wrong.

import {readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {setPlatformAPI} from 'echarts/core';

import {plainBrowser} from './plain_dom.js';
import {measureText} from './print.js';

setPlatformAPI({measureText});
Object.assign(globalThis, plainBrowser());
const [{figuresOfPage}, {csvOf, fileName, svgOf}, {partsOf}, {printTheme}] =
  [await import('./charts.js'), await import('./figure.js'), await import('./parts.js'), await import('./print.js')];

const [directory] = process.argv.slice(2);
const theme = printTheme(1);

function write(name, text) {
  const file = join(directory, name);
  try {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  } finally {
    rmSync(`${file}.new`, {force: true});
  }
}

/** Of several charts with one title the second has '-2' behind it. */
function namesOf(figures) {
  const names = figures.map(fileName);
  return names.map((name, i) => {
    const before = names.slice(0, i).filter((one) => one === name).length;
    return before === 0 ? name : `${name}-${before + 1}`;
  });
}

try {
  const {parts} = partsOf(readFileSync(0, 'utf8'));
  document.documentElement.append(...parts.map(({element}) => element));
  const figures = figuresOfPage();
  const files = figures.map((figure) => [svgOf(figure, theme), csvOf(figure, theme)]);
  namesOf(figures).forEach((name, i) => ['svg', 'csv'].forEach((suffix, j) => write(`${name}.${suffix}`, files[i][j])));
  console.log(figures.length === 1 ? 'one chart, .svg and .csv' : `${figures.length} charts, each .svg and .csv`);
} catch (error) {
  if (error.syscall === undefined) throw error;
  console.log(error.message);
  process.exitCode = 1;
}
