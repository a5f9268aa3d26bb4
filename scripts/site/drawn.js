// What the page of `stcsim page` draws of a document, as text to put into pages of the site: bundled by site.mjs, run in node.

import {setPlatformAPI} from 'echarts/core';

import {Element, plainBrowser, Text} from '../../page/src/plain_dom.js';
import {measureText} from '../../page/src/print.js';

setPlatformAPI({measureText});
Object.assign(globalThis, plainBrowser());
const [{figuresOfPage}, {falls}, {svgOf}, {words}, {machineOf}, {machineView}, {waterfall}] = await Promise.all([
  import('../../page/src/charts.js'), import('../../page/src/falls.js'), import('../../page/src/figure.js'), import('../../page/src/format.js'),
  import('../../page/src/machine.js'), import('../../page/src/machine_view.js'), import('../../page/src/waterfall.js')]);

/** Colours are the stylesheet's, light or dark. */
const theme = (width) => ({width, colour: (name) => `var(--${name})`, font: "system-ui, 'DejaVu Sans', sans-serif", size: 12});

const escaped = (text) => text.replace(/[&<>"]/g, (one) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[one]);
const dashed = (name) => name.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`);

function htmlOf(node) {
  if (node instanceof Text) return escaped(node.data);
  const style = Object.entries(node.style).filter(([, value]) => typeof value === 'string').map(([name, value]) => `${dashed(name)}:${value}`);
  const attributes = [...node.attributes, ...(style.length > 0 ? [['style', style.join(';')]] : [])];
  return `<${node.tagName}${attributes.map(([name, value]) => ` ${name}="${escaped(value)}"`).join('')}>${node.childNodes.map(htmlOf).join('')}</${node.tagName}>`;
}

/** Of a page of its own. */
function put(element) {
  document.documentElement.replaceChildren(element);
  return element;
}

/** The waterfall of the first scheme of a study, as `stcsim run` writes one. */
export function waterfallOf(text) {
  const {results, totals} = JSON.parse(text);
  const total = totals.find(({scheme}) => scheme !== 'dense');
  const steps = waterfall(results.filter(({scheme}) => scheme === total.scheme), total.share_of_training);
  return htmlOf(put(falls(steps.map((step) => ({...step, name: words(step.name)})), `what is left of the gain of ${total.scheme}`)).firstChild);
}

/** The diagram of the machine of a GEMM, as `stcsim gemm` writes one, with what moved in it. */
export function diagramOf(text, width) {
  const gemm = JSON.parse(text);
  put(machineView(machineOf(gemm), `what ${gemm.machine} did`).element);
  return svgOf(figuresOfPage()[0], theme(width));
}
