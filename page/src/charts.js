// Charts by ECharts: made when they come into view, drawn anew when colours or width change; below each a way to save it.

import {init} from 'echarts/core';

import {download, h} from './dom.js';
import {contextOf, csvOf, fileName, heightOf, optionOf, svgOf} from './figure.js';
import {printTheme} from './print.js';
import {colour, onTheme} from './theme.js';

/** What can be saved: {element, figure, draw(), redraw()}. */
const charts = new Set();
const mostWidth = 1500;   // beyond it texts are larger
/** ECharts measures texts with the font that the page is shown in. */
const themeOf = (host) => ({width: host.clientWidth, colour, font: getComputedStyle(host).fontFamily, size: host.clientWidth > mostWidth ? 14 : 12});
const context = (host) => contextOf(themeOf(host));

/** Content of a tooltip: a heading and lines of name and value. Elements, so that names stay text. */
export function tip(heading, lines) {
  return h('div', {class: 'tip'}, h('strong', {}, heading),
    lines.map(([name, value]) => h('div', {}, `${name} `, h('b', {}, value))));
}

function saveControl(host, figure) {
  const button = (name, about, suffix, make) => h('button', {type: 'button', title: about, onclick: () =>
    download(`${fileName(figure)}.${suffix}`, make(), suffix === 'svg' ? 'image/svg+xml' : 'text/csv')}, name);
  return h('details', {class: 'save'}, h('summary', {'aria-label': `Save: ${figure.label}`}, 'Save'), h('div', {},
    button('Print, one column', 'SVG, 3.3 in wide, to be told apart in grey', 'svg', () => svgOf(figure, printTheme(1))),
    button('Print, two columns', 'SVG, 7 in wide, to be told apart in grey', 'svg', () => svgOf(figure, printTheme(2))),
    button('As shown', 'SVG', 'svg', () => svgOf(figure, themeOf(host))),
    button('CSV', 'the numbers drawn', 'csv', () => csvOf(figure, printTheme(1)))));
}

/** An element with what saves it as that figure. */
export function savable(host, figure, draw = () => {}, redraw = () => {}) {
  charts.add({element: host, figure, draw, redraw});
  return h('div', {class: 'savable'}, host, saveControl(host, figure));
}

/**
 * @param figure as figure.js has it. many: of many elements, drawn on a canvas instead of as SVG, unless a test asks for texts
 *   that it can measure; onclick: of its elements
 * @returns {element}
 */
export function chart(figure) {
  const {height, label, many = false, onclick = null} = figure;
  const host = h('div', {class: 'chart', role: 'img', 'aria-label': label});
  let drawn = null;
  let width = 0;
  const draw = () => {
    if (!host.isConnected || host.clientWidth === 0) return;
    host.style.height = `${heightOf(figure, context(host))}px`;
    if (drawn === null) {
      drawn = init(host, null, {renderer: many && !window.drawsTexts ? 'canvas' : 'svg'});
      if (onclick) drawn.on('click', onclick);
    } else {
      drawn.resize();
    }
    width = host.clientWidth;
    const option = optionOf(figure, context(host));
    host.dataset.legend = option.legend !== undefined && option.legend.show !== false ? 'yes' : 'no';
    drawn.setOption(option, true);
  };
  host.style.height = `${typeof height === 'function' ? 320 : height}px`;
  const seen = new IntersectionObserver((entries) => {
    if (entries.some((one) => one.isIntersecting) && drawn === null) draw();
  }, {rootMargin: '400px'});
  seen.observe(host);
  new ResizeObserver(() => { if (drawn !== null && host.clientWidth !== width) draw(); }).observe(host);
  return {element: savable(host, figure, draw, () => drawn !== null && draw())};
}

/** Charts that are no longer part of the page are forgotten. */
function living() {
  for (const one of charts) if (!one.element.isConnected) charts.delete(one);
  return [...charts];
}

/** The figures of the page as it is now. */
export const figuresOfPage = () => living().map(({figure}) => figure);

export function startCharts() {
  onTheme(() => { for (const one of living()) one.redraw(); });
  window.addEventListener('beforeprint', () => { for (const one of living()) one.draw(); });
}
