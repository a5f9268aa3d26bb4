// A figure: a chart apart from where it is drawn, which can be saved. {build: context => option of ECharts, height: pixels or
// context => pixels, label: its title, of: what a row of its numbers is, numbers: {columns, rows} where the option does not have them}

import {BarChart, CustomChart, LineChart, ParallelChart, ScatterChart, TreemapChart} from 'echarts/charts';
import {AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, ParallelComponent, TooltipComponent, VisualMapComponent} from 'echarts/components';
import {init, use} from 'echarts/core';
import {LabelLayout} from 'echarts/features';
import {CanvasRenderer, SVGRenderer} from 'echarts/renderers';

import {csv} from './filter.js';
import {numbersOf} from './numbers.js';
import {printed} from './print.js';

use([BarChart, CustomChart, LineChart, ParallelChart, ScatterChart, TreemapChart, AriaComponent, DataZoomComponent, GridComponent, LegendComponent,
     MarkLineComponent, ParallelComponent, TooltipComponent, VisualMapComponent, LabelLayout, CanvasRenderer, SVGRenderer]);

const mostLetters = 30;   // of a name in a legend
const shortened = (name) => (name.length > mostLetters ? `${name.slice(0, mostLetters - 1)}…` : name);
const isNarrow = (width) => width < 560;

/** Lines that a legend takes. @param ofLines whether its icons are lines, which have to show their dashes on paper */
function legendLines(names, ofLines, {width, size, scale}) {
  const widths = names.map((name) => (scale && ofLines ? 41 : 27) + 0.54 * size * shortened(name).length);   // with icon and gaps
  let [lines, left] = [1, width];
  for (const one of widths) {
    if (one > left && left < width) [lines, left] = [lines + 1, width];
    left -= one;
  }
  return lines;
}

/** @param theme {width: pixels, colour: name => colour, font, size: pixels; alone: whether it is no part of a page; of print: scale, physical size of a pixel in points} */
export function contextOf(theme) {
  const {width, colour, font, size, scale, alone = false} = theme;
  const small = scale ? {fontSize: size} : {};   // on the page, axes keep the size of ECharts
  return {
    width, narrow: isNarrow(width), colour, alone,   // without what the page has beside it
    legendLines: (names, ofLines = false) => legendLines(names, ofLines, theme),
    text: {color: colour('text'), fontFamily: font, fontSize: size},
    axis: {
      axisLine: {lineStyle: {color: colour('line')}}, axisTick: {lineStyle: {color: colour('line')}},
      axisLabel: {color: colour('quiet'), fontFamily: font, ...small}, nameTextStyle: {color: colour('quiet'), ...small},
      splitLine: {lineStyle: {color: colour('grid')}},
    },
    tooltip: {
      backgroundColor: colour('raised'), borderColor: colour('line'), textStyle: {color: colour('text')},
      confine: true, extraCssText: 'max-width: 22rem; white-space: normal',
    },
    legend: {itemWidth: 12, itemHeight: 12, textStyle: {color: colour('text'), fontFamily: font, ...small}, inactiveColor: colour('line'), type: 'plain', formatter: shortened},
  };
}

export const heightOf = ({height}, context) => (typeof height === 'function' ? height(context) : height);
export const optionOf = ({build}, context) => ({animation: false, aria: {enabled: false}, ...build(context)});

/** Of the title what every file system takes. */
export const fileName = ({label}) => label.toLowerCase().replaceAll('×', 'x').replace(/[^a-z0-9.]+/g, '-').replace(/^[-.]+|[-.]+$/g, '').slice(0, 80) || 'chart';

const escaped = (text) => text.replace(/[&<>"]/g, (one) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[one]);

/** An SVG file; its bytes follow from figure and theme alone. */
export function svgOf(figure, theme) {
  const context = contextOf({...theme, alone: true, font: theme.font.replaceAll('"', "'")});   // ECharts writes it into attributes as it is
  const height = Math.round(heightOf(figure, context));
  const drawn = init(null, null, {renderer: 'svg', ssr: true, width: theme.width, height});
  const option = optionOf(figure, context);
  drawn.setOption({...(theme.scale ? printed(option, context) : option), tooltip: {show: false}, dataZoom: [], backgroundColor: theme.colour('page')});
  const text = drawn.renderToSVGString({cssEmphasis: false});
  drawn.dispose();
  const size = theme.scale ? [theme.width, height].map((one) => `${one * theme.scale}pt`) : [theme.width, height];
  const label = escaped(figure.label);
  return text.replace(/\bzr\d+-/g, 'f-').replace(/ ecmeta_\w+="[^"]*"/g, '').replace(/^<svg width="[^"]*" height="[^"]*"/, `<svg role="img" aria-label="${label}" width="${size[0]}" height="${size[1]}"`)
    .replace('>', `>\n<title>${label}</title>`);
}

/** The numbers drawn, with all their digits: RFC 4180, a header of names and units. */
export function csvOf(figure, theme) {
  const {columns, rows} = figure.numbers ?? numbersOf(optionOf(figure, contextOf(theme)), figure.of);
  return csv(rows, columns.map((key, i) => ({key, value: (row) => row[i]})));
}
