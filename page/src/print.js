// Charts as papers print them: as wide as a column, in a serif font, and to be told apart in grey, by lightness first, then by
// the pattern of bars, the dashes of lines and the symbols of points.

import {rgbOf, textOn} from './gain_colour.js';
import {lines} from './paper_text.js';

const pixelsOfColumn = 320;   // 240 pt, 3.3 in
const pointsOfPixel = 0.75;
const font = '"Times New Roman", "Liberation Serif", "Nimbus Roman", Times, serif';

/** From light to dark, so that what stands beside each other in a chart of the page is far apart in grey. */
const tones = {
  page: '#ffffff', raised: '#f3f3f3', text: '#000000', quiet: '#333333', line: '#555555', grid: '#dddddd', accent: '#0b3c6f',
  neutral: '#bcc6cf', fast: '#0b3c6f', slow: '#f6d296', warn: '#000000',
  gemm1: '#08306b', gemm2: '#4b8cc4', gemm3: '#c9dff0',
  kind1: '#1b4d2b', kind2: '#bfe3b4', kind3: '#8a7d1f', kind4: '#efe0b0', kind5: '#4a2f7a', kind6: '#d5c2e6',
  kind7: '#1f6468', kind8: '#d9dde1', kind9: '#a8567f', kind10: '#e3ecd9', optimizer: '#6b7178', pruning: '#7d1d14',
};

/** @param columns 1 or 2 that the figure spans */
export const printTheme = (columns) => ({
  width: columns === 1 ? pixelsOfColumn : Math.round(2.1 * pixelsOfColumn), colour: (name) => tones[name], font, size: 11, scale: pointsOfPixel,
});

const stripes = (rotation, gap = 4) => ({symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [1, gap], rotation});
/** Of the first series none. */
const decals = [null, stripes(Math.PI / 4), {symbol: 'circle', symbolSize: 0.6, dashArrayX: [[4, 4], [0, 4, 4, 0]], dashArrayY: [4, 0]},
                stripes(-Math.PI / 4), stripes(0, 3), stripes(Math.PI / 2, 3), stripes(Math.PI / 4, 8)];
const dashes = ['solid', [6, 3], [2, 2], [8, 2, 2, 2], [10, 4], [4, 1, 1, 1], [1, 3], [6, 2, 2, 2, 2, 2]];
const symbols = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle', 'emptyRect', 'emptyTriangle', 'emptyDiamond'];

function printedBar(one, i) {
  const decal = decals[i % decals.length];
  return {...one, itemStyle: {...one.itemStyle, borderColor: '#000000', borderWidth: 0.5, ...(decal ? {decal: {...decal, color: textOn(rgbOf(one.itemStyle.color))}} : {})}};
}

function printedLine(one, i) {
  const line = {...one, lineStyle: {...one.lineStyle, width: 1.25, type: dashes[i % dashes.length]}};
  return one.symbol === 'none' ? line : {...line, symbol: symbols[i % symbols.length], symbolSize: 5};
}

const hollow = (symbol) => `empty${symbol[0].toUpperCase()}${symbol.slice(1)}`;
const printedPoints = (one, i, before) => ({...one, symbol: before.some(({symbol}) => symbol && symbol === one.symbol) ? hollow(one.symbol) : one.symbol ?? symbols[i % symbols.length], itemStyle: {...one.itemStyle, opacity: 1, borderColor: '#000000', borderWidth: 0.5}});
const printers = {bar: printedBar, line: printedLine, scatter: printedPoints};

/** The option with series that can be told apart in grey. Those of one name, a line and its band, count once. */
export function printed(option, {narrow, width}) {
  const places = {};
  const series = option.series.map((one, i) => {
    const place = places[one.type] ?? 0;
    places[one.type] = place + 1;
    return printers[one.type] ? printers[one.type](one, place, option.series.slice(0, i)) : one;
  }).sort((a, b) => (a.type === 'custom') - (b.type === 'custom'));   // a legend shows the line of a curve, not its band
  const hasLines = series.some(({type, symbol}) => type === 'line' && symbol !== 'none');
  const shades = option.visualMap && {visualMap: {...option.visualMap, inRange: {color: ['#c0c0c0', '#707070', '#000000']}}};
  const named = (axis) => ({...axis, name: lines(axis.name ?? '', Math.floor(0.1 * width), 2).join('\n'), nameGap: axis.nameLocation === 'middle' ? 20 : axis.nameGap, nameTextStyle: {...axis.nameTextStyle, lineHeight: 12}});
  const xAxis = Array.isArray(option.xAxis) ? option.xAxis.map(named) : option.xAxis && named(option.xAxis);
  return {...option, ...shades, series, ...(xAxis ? {xAxis} : {}), legend: option.legend && {...option.legend, itemStyle: {borderWidth: 0.5}, itemWidth: hasLines ? 26 : 12, itemGap: narrow ? 6 : 10}};
}

const letterWidths = [[/[ilj.,:;'|!tfrI()[\]/ -]/g, 0.37], [/[mwMW×%—…]/g, 0.92], [/[A-Z]/g, 0.74], [/./g, 0.61]];

/** Widths without a browser: those of a wide serif font, so that texts have room in any. */
export function measureText(text, font) {
  const size = Number(/([\d.]+)px/.exec(font ?? '')?.[1] ?? 12);
  let [left, width] = [text ?? '', 0];
  for (const [letters, share] of letterWidths) {
    const rest = left.replace(letters, '');
    width += (left.length - rest.length) * share;
    left = rest;
  }
  return {width: width * size};
}
