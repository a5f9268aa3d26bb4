// A chart of a paper's figure: a line for each row, with what was published and a mark for each answer.

import {chart, tip} from './charts.js';
import {lines, numberText, powerOfTen} from './paper_text.js';

const slotHeight = {dot: 11, bar: 9};
const mostLines = 4;    // of a name
const fewLines = 12;    // of a chart whose axis is in view wherever one looks

const line = (x1, y1, x2, y2, style) => ({type: 'line', shape: {x1, y1, x2, y2}, style, silent: true});

/** What was published: a thick stroke, a range as a field between two. */
function publishedShape({least, most}, at, top, height, colour) {
  const [x1, x2] = [at(least), at(most)];
  const stroke = (x) => line(x, top, x, top + height, {stroke: colour('text'), lineWidth: least === most ? 3 : 1.5});
  if (least === most) return [stroke(x1)];
  const field = {type: 'rect', silent: true, shape: {x: x1, y: top, width: x2 - x1, height}, style: {fill: colour('text'), opacity: 0.16}};
  return [field, stroke(x1), stroke(x2)];
}

/** A stroke from x1 to x2 that ends in others. */
function whisker(x1, x2, y, style) {
  return [line(x1, y, x2, y, style), line(x1, y - 3, x1, y + 3, style), line(x2, y - 3, x2, y + 3, style)];
}

const icons = ['circle', 'rect', 'triangle', 'diamond'];
/** The same, where a mark stands. */
const dots = [(x, y) => ({type: 'circle', shape: {cx: x, cy: y, r: 4.5}}), (x, y) => ({type: 'rect', shape: {x: x - 4, y: y - 4, width: 8, height: 8}}),
              (x, y) => ({type: 'polygon', shape: {points: [[x, y - 5], [x + 5, y + 4], [x - 5, y + 4]]}}), (x, y) => ({type: 'polygon', shape: {points: [[x, y - 5], [x + 5, y], [x, y + 5], [x - 5, y]]}})];

function markShape({value, low, high, tone}, shape, at, y, colour, dot) {
  const x = at(value);
  const strokes = (stroke, lineWidth) => (low === high ? [] : whisker(at(low), at(high), y, {stroke, lineWidth}));
  if (shape === 'dot') return [...strokes(colour(tone), 1.5), {...dot(x, y), silent: true, style: {fill: colour(tone)}}];
  const zero = at(0);
  const bar = {type: 'rect', silent: true, shape: {x: Math.min(x, zero), y: y - 4, width: Math.abs(x - zero), height: 8}, style: {fill: colour(tone)}};
  return [bar, ...strokes(colour('page'), 3), ...strokes(colour('text'), 1.25)];
}

/** Where nothing is gained or lost: 1 of ratios, 0 of all else. */
const neutralOf = ({unit, axis}) => (unit === 'ratio' ? 1 : axis.isLog ? null : 0);

/** One line of the chart. The field around it is what a pointer meets. */
function rowShape(panel, api, area, {colour, alone}) {
  const index = api.value(1);
  const {marks, published} = panel.categories[index];
  const at = (value) => api.coord([value, index])[0];
  const middle = api.coord([panel.axis.min, index])[1];
  const band = api.size([0, 1])[1];
  const slot = slotHeight[panel.shape];
  const first = middle - ((marks.length - 1) * slot) / 2;
  const neutral = neutralOf(panel);
  const isInside = neutral !== null && neutral >= panel.axis.min && neutral <= panel.axis.max;
  const height = Math.min(band - 4, Math.max(22, marks.length * slot + 8));
  return {type: 'group', children: [
    {type: 'rect', shape: {x: area.x, y: middle - band / 2, width: area.width, height: band}, style: {fill: index % 2 === 0 ? colour('raised') : 'transparent', opacity: 0.55}},
    ...(isInside ? [line(at(neutral), middle - band / 2, at(neutral), middle + band / 2, {stroke: colour('quiet'), lineWidth: 1})] : []),
    ...(published ? publishedShape(published, at, middle - height / 2, height, colour) : []),
    ...marks.flatMap((one, i) => (one.value === null ? [] : markShape(one, panel.shape, at, first + i * slot, colour, dots[alone ? i % dots.length : 0]))),
    ...marks.flatMap((one, i) => (one.published ? publishedShape(one.published, at, first + i * slot - slot / 2, slot, colour) : [])),
  ]};
}

const tickText = (isLog) => (value) => (isLog && (value >= 1e4 || value < 1e-2) ? powerOfTen(Math.round(Math.log10(value)))
  : numberText(Number(value.toPrecision(12))));

const nameWidth = ({width}) => Math.round(Math.min(340, Math.max(100, 0.32 * width)));

/** The names of the lines, and how high each line is. */
function layOut({categories, shape}, context) {
  const letters = Math.floor(nameWidth(context) / (0.58 * context.text.fontSize));
  const names = categories.map(({label}) => lines(label, letters, mostLines));
  const lineHeight = context.text.fontSize + 3;
  const band = Math.max(categories[0].marks.length * slotHeight[shape] + 14, Math.max(...names.map((one) => one.length)) * lineHeight + 8);
  return {names: names.map((one) => one.join('\n')), lineHeight, band};
}

/** Below the lines; above them too, if they are many. */
function valueAxes({axis: scale, axisName, categories}, {axis}) {
  const below = {...axis, type: scale.isLog ? 'log' : 'value', min: scale.min, max: scale.max, interval: scale.step, name: axisName,
                 nameLocation: 'middle', nameGap: 26, axisLabel: {...axis.axisLabel, formatter: tickText(scale.isLog), hideOverlap: true}};
  return categories.length <= fewLines ? below : [below, {...below, name: '', splitLine: {show: false}}];
}

/** A row for each mark, and for what is published of a whole line. */
function numbersOf({categories, key, axisName}) {
  return {columns: ['row', 'from', axisName || 'value', 'low', 'high'], rows: categories.flatMap(({label, published, marks}) => [
    ...(published ? [[label, 'published', null, published.least, published.most]] : []),
    ...marks.flatMap(({value, low, high, published: own}, i) => [[label, key[i].name, value, low, high], ...(own ? [[label, `${key[i].name}, published`, null, own.least, own.most]] : [])])])};
}

const legendHeight = ({key}, {alone, legendLines}) => (alone ? 22 * legendLines(key.map(({name}) => name)) : 0);

/** @param panel of panelsOf() */
export function paperChart(panel) {
  const {categories, axis: scale, axisName, title} = panel;
  const above = (context) => (categories.length > fewLines ? 24 : 4) + legendHeight(panel, context);
  const build = (context) => {
    const {text, axis, tooltip, legend, colour, alone} = context;
    const key = alone ? panel.key : [];   // on the page it stands above all charts of a figure
    const {names, lineHeight} = layOut(panel, context);
    return {
      textStyle: text, legend: {...legend, show: alone, top: 0, left: 0, right: 0, data: key.map(({name}, i) => ({name, icon: panel.shape === 'bar' ? 'rect' : icons[i % icons.length]}))},
      grid: {left: nameWidth(context) + 12, right: 22, top: above(context), bottom: 44, outerBoundsMode: 'none'},
      tooltip: {...tooltip, formatter: ({dataIndex}) => tip(categories[dataIndex].label, categories[dataIndex].lines)},
      xAxis: valueAxes(panel, context),
      yAxis: {...axis, type: 'category', inverse: true, data: names, axisTick: {show: false},
              axisLine: {...axis.axisLine, onZero: false}, axisLabel: {...text, interval: 0, lineHeight, margin: 8}},
      series: [{type: 'custom', data: categories.map((_, i) => [scale.min, i]), encode: {x: 0, y: 1}, clip: false,
                renderItem: (parameters, api) => rowShape(panel, api, parameters.coordSys, context)},
               ...key.map(({name, tone}) => ({type: 'scatter', name, itemStyle: {color: colour(tone)}, data: []}))],
    };
  };
  return chart({build, height: (context) => above(context) + 48 + categories.length * layOut(panel, context).band,
                label: [title, axisName, 'published and simulated'].filter(Boolean).join(': '), numbers: numbersOf(panel)});
}
