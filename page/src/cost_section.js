// Energy and area (stcsim.cost/1): where the joules of a GEMM go, and the square millimetres of its machine.

import {chart, tip} from './charts.js';
import {areasOf, energyByUnit} from './cost.js';
import {h, section} from './dom.js';
import {digits3, percent, words} from './format.js';
import {rgbOf, textOn} from './gain_colour.js';
import {seriesBars} from './series_bars.js';
import {table} from './table.js';

const tones = ['kind1', 'gemm2', 'kind5', 'kind3', 'pruning', 'kind7', 'gemm3', 'kind2', 'kind4', 'kind9', 'gemm1', 'kind6', 'optimizer', 'kind10', 'kind8'];
const joules = (value) => (value >= 1 ? `${digits3(value)} J` : value >= 1e-3 ? `${digits3(1e3 * value)} mJ` : `${digits3(1e6 * value)} µJ`);
const um2PerMm2 = 1e6;

function energyPart(cost) {
  const units = energyByUnit(cost.actions);
  const {gemm} = cost;
  const isSparse = gemm.dense_joules > 0;
  const names = [isSparse ? `A ${gemm.pattern}` : 'the GEMM', ...(isSparse ? ['dense'] : [])];
  const largest = Math.max(gemm.joules, gemm.dense_joules ?? 0);
  const [unit, scale] = largest >= 1 ? ['J', 1] : largest >= 1e-3 ? ['mJ', 1e3] : ['µJ', 1e6];
  return [h('h3', {}, 'Energy by unit'),
    seriesBars({names, stacked: true, wide: 140, axisName: unit, label: 'energy by unit',
                series: units.map((one, i) => ({name: words(one.unit), tone: tones[i % tones.length], values: [one.own, ...(isSparse ? [one.dense] : [])].map((value) => value * scale)})),
                tell: (value, {name}) => [`${name}:`, joules(value / scale)]}).element,
    table({name: 'energy', rows: cost.actions, sortBy: 'joules', columns: [{key: 'unit', title: 'unit', format: words}, {key: 'action', title: 'action', format: words},
      {key: 'count', title: 'count'}, {key: 'joules', title: 'energy', format: joules}, {key: 'share', title: 'share', format: percent},
      {key: 'dense_joules', title: 'dense', format: (value) => (value === null ? '' : joules(value))}]})];
}

function areaMap(parts) {
  const units = [...new Set(parts.map((one) => one.unit))];
  const build = ({text, tooltip, colour, narrow}) => ({
    textStyle: text,
    tooltip: {...tooltip, formatter: ({data}) => data?.part && tip(`${words(data.part.unit)}, ${words(data.part.part)}`,
      [['area', `${digits3(data.part.um2 / um2PerMm2)} mm²`], ['of an A100’s', data.part.of_a100 > 0 ? digits3(data.part.of_a100) : '–']])},
    series: [{type: 'treemap', roam: false, nodeClick: false, breadcrumb: {show: false}, left: 0, right: 0, top: 0, bottom: 0,
      label: {...text, fontSize: narrow ? 10 : 12, lineHeight: narrow ? 12 : 15, overflow: 'truncate', padding: 3},
      upperLabel: {show: true, height: 20, ...text, backgroundColor: colour('raised'), fontSize: narrow ? 10 : 12, overflow: 'truncate'},
      itemStyle: {borderColor: colour('page'), borderWidth: 1, gapWidth: 1},
      levels: [{itemStyle: {borderWidth: 0, gapWidth: 3}, upperLabel: {show: false}}, {itemStyle: {borderColor: colour('line'), borderWidth: 1, gapWidth: 1}}, {}],
      data: units.map((unit, i) => {
        const background = colour(tones[i % tones.length]);
        return {name: words(unit), itemStyle: {color: colour('raised')}, children: parts.filter((one) => one.unit === unit && one.um2 > 0).map((part) =>
          ({name: words(part.part), value: part.um2, part, itemStyle: {color: background}, label: {color: textOn(rgbOf(background))}}))};
      })}],
  });
  return chart({build, height: ({narrow}) => (narrow ? 380 : 420), many: true, label: 'area by unit',
    numbers: {columns: ['unit', 'part', 'area, µm²'], rows: parts.filter(({um2}) => um2 > 0).map(({unit, part, um2}) => [unit, part, um2])}});
}

const areaPart = ({area, parts}) => [h('h3', {}, 'Area by unit'),
  h('p', {class: 'note'}, `${digits3(area.machine_um2 / um2PerMm2)} mm² of what the table knows, an SM ${digits3(area.sm_um2 / um2PerMm2)} mm², ${area.sms} of them.`),
  areaMap(areasOf(area, parts)).element];

export function costSection(cost, {suffix}) {
  const {gemm, area} = cost;
  const headline = gemm ? `${gemm.m}×${gemm.n}×${gemm.k} ${gemm.dtype}, A ${gemm.pattern}, on ${cost.machine}: ${joules(gemm.joules)}${
    gemm.of_dense > 0 ? `, ${digits3(gemm.of_dense)} of dense` : ''}` : `${cost.machine}: ${digits3(area.machine_um2 / um2PerMm2)} mm² of area`;
  const range = gemm?.of_dense_low > 0 ? `Between ${digits3(gemm.of_dense_low)} and ${digits3(gemm.of_dense_high)} of dense by other tables of energies.` : '';
  const isKnown = area && area.machine_um2 > 0;
  return {
    answers: [{headline, details: [range, isKnown && gemm ? `The machine takes ${digits3(area.machine_um2 / um2PerMm2)} mm² of what is known.` : ''].filter(Boolean).join(' ')}],
    element: section(`cost${suffix}`, gemm ? 'Energy and area' : 'Area', gemm && energyPart(cost), isKnown && areaPart(cost),
      cost.assumptions?.length > 0 && h('ul', {class: 'note'}, cost.assumptions.map((one) => h('li', {}, typeof one === 'string' ? one : JSON.stringify(one))))),
  };
}
