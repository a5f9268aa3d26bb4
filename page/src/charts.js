// Charts by ECharts: made when they come into view, drawn anew when colours or width change.

import {BarChart, CustomChart, LineChart, ParallelChart, ScatterChart, TreemapChart} from 'echarts/charts';
import {AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, ParallelComponent, TooltipComponent, VisualMapComponent} from 'echarts/components';
import {init, use} from 'echarts/core';
import {LabelLayout} from 'echarts/features';
import {CanvasRenderer, SVGRenderer} from 'echarts/renderers';

import {h} from './dom.js';
import {colour, onTheme} from './theme.js';

use([BarChart, CustomChart, LineChart, ParallelChart, ScatterChart, TreemapChart, AriaComponent, DataZoomComponent, GridComponent, LegendComponent,
     MarkLineComponent, ParallelComponent, TooltipComponent, VisualMapComponent, LabelLayout, CanvasRenderer, SVGRenderer]);

const charts = new Set();
const mostLetters = 30;   // of a name in a legend
const shortened = (name) => (name.length > mostLetters ? `${name.slice(0, mostLetters - 1)}…` : name);
const isNarrow = (width) => width < 560;
/** The font that the page is shown in: ECharts measures texts with it. */
const fontOf = (host) => getComputedStyle(host).fontFamily;

function context(host) {
  return {
    width: host.clientWidth, narrow: isNarrow(host.clientWidth), colour,
    text: {color: colour('text'), fontFamily: fontOf(host), fontSize: host.clientWidth > 1500 ? 14 : 12},
    axis: {
      axisLine: {lineStyle: {color: colour('line')}}, axisTick: {lineStyle: {color: colour('line')}},
      axisLabel: {color: colour('quiet'), fontFamily: fontOf(host)}, nameTextStyle: {color: colour('quiet')},
      splitLine: {lineStyle: {color: colour('grid')}},
    },
    tooltip: {
      backgroundColor: colour('raised'), borderColor: colour('line'), textStyle: {color: colour('text')},
      confine: true, extraCssText: 'max-width: 22rem; white-space: normal',
    },
    legend: {itemWidth: 12, itemHeight: 12, textStyle: {color: colour('text'), fontFamily: fontOf(host)}, inactiveColor: colour('line'), type: 'plain', formatter: shortened},
  };
}

/** Content of a tooltip: a heading and lines of name and value. Elements, so that names stay text. */
export function tip(heading, lines) {
  return h('div', {class: 'tip'}, h('strong', {}, heading),
    lines.map(([name, value]) => h('div', {}, `${name} `, h('b', {}, value))));
}

/**
 * @param build context => option of ECharts
 * @param height pixels, or context => pixels
 * @param many elements: drawn on a canvas instead of as SVG, unless a test asks for texts that it can measure
 * @returns {element, redraw(), on(event, f)}
 */
export function chart({build, height, label, many = false, onclick = null}) {
  const host = h('div', {class: 'chart', role: 'img', 'aria-label': label});
  let drawn = null;
  let width = 0;
  const pixels = () => (typeof height === 'function' ? height(context(host)) : height);
  const draw = () => {
    if (!host.isConnected || host.clientWidth === 0) return;
    host.style.height = `${pixels()}px`;
    if (drawn === null) {
      drawn = init(host, null, {renderer: many && !window.drawsTexts ? 'canvas' : 'svg'});
      if (onclick) drawn.on('click', onclick);
    } else {
      drawn.resize();
    }
    width = host.clientWidth;
    const option = build(context(host));
    host.dataset.legend = option.legend !== undefined && option.legend.show !== false ? 'yes' : 'no';
    drawn.setOption({animation: false, aria: {enabled: false}, ...option}, true);
  };
  const self = {element: host, draw, redraw: () => drawn !== null && draw()};
  charts.add(self);
  host.style.height = `${typeof height === 'function' ? 320 : height}px`;
  const seen = new IntersectionObserver((entries) => {
    if (entries.some((one) => one.isIntersecting) && drawn === null) draw();
  }, {rootMargin: '400px'});
  seen.observe(host);
  new ResizeObserver(() => { if (drawn !== null && host.clientWidth !== width) draw(); }).observe(host);
  return self;
}

/** Charts that are no longer part of the page are forgotten. */
function living() {
  for (const one of charts) if (!one.element.isConnected) charts.delete(one);
  return [...charts];
}

export function startCharts() {
  onTheme(() => { for (const one of living()) one.redraw(); });
  window.addEventListener('beforeprint', () => { for (const one of living()) one.draw(); });
}
