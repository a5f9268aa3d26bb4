// A step on several GPUs: what each scheme gains on how many, and the two streams of one step as lanes.

import {chart, tip} from './charts.js';
import {fill, h, section, select} from './dom.js';
import {bytes, digits3, factor, percent, time, words} from './format.js';
import {table} from './table.js';

const tones = {kernels: 'gemm2', 'slowed kernels': 'slow', host: 'neutral'};
const collectiveTones = ['kind1', 'kind5', 'kind3', 'kind7'];

/** Spans of both streams: [{lane, what, begin, end}], the lanes in the order of the picture. */
export function lanesOf(total) {
  const spans = (key, lane) => (total[key] ?? []).map(([what, begin, end]) => ({lane, what, begin, end}));
  return [...spans('streams.kernels', 0), ...spans('streams.collectives', 1)];
}

/** What a span's colour says, each once, in order of appearance. */
export const kindsOf = (spans) => [...new Set(spans.map(({what}) => what))];

function lanesChart(total) {
  const spans = lanesOf(total);
  const kinds = kindsOf(spans);
  const others = kinds.filter((what) => !(what in tones));
  const tone = (what) => tones[what] ?? collectiveTones[others.indexOf(what) % collectiveTones.length];
  const build = ({text, axis, tooltip, legend, colour, narrow, legendLines}) => ({
    textStyle: text,
    legend: {...legend, top: 0, left: 0, right: 0, data: kinds.map((name) => ({name, itemStyle: {color: colour(tone(name))}}))},
    grid: {left: 4, right: 16, top: 24 * legendLines(kinds) + 12, bottom: 42, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
    tooltip: {...tooltip, formatter: ({data}) => tip(data.span.what, [['from', time(data.span.begin)], ['for', time(data.span.end - data.span.begin)]])},
    xAxis: {...axis, type: 'value', min: 0, max: total['time_us'] / 1000, name: 'ms of the step', nameLocation: 'middle', nameGap: 26, splitNumber: narrow ? 3 : 6,
            axisLabel: {...axis.axisLabel, hideOverlap: true, formatter: digits3}},
    yAxis: {...axis, type: 'category', inverse: true, data: ['kernels', 'collectives'], axisLabel: text},
    series: kinds.map((name) => ({
      type: 'custom', name, itemStyle: {color: colour(tone(name))}, encode: {x: [0, 1], y: 2},
      data: spans.filter(({what}) => what === name).map((span) => ({value: [span.begin / 1000, span.end / 1000, span.lane], span})),
      renderItem: (_, api) => {
        const [x, y] = api.coord([api.value(0), api.value(2)]);
        const [end] = api.coord([api.value(1), api.value(2)]);
        return {type: 'rect', shape: {x, y: y - 16, width: Math.max(1, end - x), height: 32}, style: {fill: colour(tone(name))}};
      }})),
  });
  return chart({build, height: ({narrow}) => (narrow ? 230 : 210), many: true, label: 'the two streams of the step',
    numbers: {columns: ['stream', 'what', 'from, µs', 'to, µs'], rows: spans.map(({lane, what, begin, end}) => [['kernels', 'collectives'][lane], what, begin, end])}});
}

/** Rows of stcsim.study's `parallel` of one network on one machine; null where there are none. */
export function parallelSection(totals, suffix) {
  if (totals.length === 0) return null;
  const most = Math.max(...totals.map(({gpus}) => gpus));
  const nameOf = (total) => `${total.scheme} on ${total.gpus}`;
  const box = h('div');
  const show = (name) => {
    const total = totals.find((one) => nameOf(one) === name);
    const exposed = Object.keys(total).filter((key) => key.startsWith('exposed.') && total[key] > 0)
      .map((key) => `${time(total[key])} of ${words(key.slice(8, -3))}`);
    fill(box, select('step of', totals.filter(({gpus}) => gpus > 1).map(nameOf), name, show), lanesChart(total).element,
      h('p', {class: 'note'}, `Kernels wait for ${exposed.length > 0 ? exposed.join(', ') : 'nothing'}; beside collectives they take ${time(total['slowed_us'])} longer.`));
  };
  const first = totals.filter(({gpus, scheme}) => gpus === most && scheme !== 'dense')[0] ?? totals.find(({gpus}) => gpus === most);
  if (most > 1) show(nameOf(first));
  return section(`gpus${suffix}`, 'On several GPUs', h('p', {class: 'note'}, 'Predicted: nobody has published a measurement of n:m sparsity on several GPUs.'),
    table({name: 'gpus', rows: totals, most: 40, columns: [
      {key: 'gpus', title: 'GPUs'}, {key: 'scheme', title: 'scheme'}, {key: 'time_us', title: 'step', format: time},
      {key: 'speedup', title: 'gain', format: factor, help: 'of a training, over dense on as many'},
      {key: 'kernels_speedup', title: 'without collectives', format: factor},
      {key: 'efficiency', title: 'per GPU', format: percent, help: 'samples per second and GPU, of those of one GPU'},
      {key: 'memory_bytes', title: 'memory', format: bytes}, {key: 'fits', title: 'fits', format: (value) => (value ? 'yes' : 'NO')}]}), box);
}
