// Pictures of the report, drawn by ECharts without a browser.

import {writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';

import {paretoFront} from '../../page/src/sweep.js';
import {grownText, patterns} from './sweeps.mjs';
import {stepBars} from './steps.mjs';

export const tones = ['#1467b8', '#3a7d44', '#c2540a', '#7a5ea8', '#b5a642'];
const font = {fontFamily: 'sans-serif', fontSize: 12, color: '#1b1f24'};
export const axis = {nameTextStyle: font, axisLabel: {...font, color: '#57606a'}, splitLine: {lineStyle: {color: '#e3e7eb'}}};

/** @param packages folder of node_modules with ECharts @returns draws an option into a file */
export function plotter(packages, folder) {
  const echarts = createRequire(resolve(packages, 'package.json'))('echarts');
  return (name, width, height, option) => {
    const chart = echarts.init(null, null, {renderer: 'svg', ssr: true, width, height});
    chart.setOption({animation: false, backgroundColor: '#ffffff', textStyle: font, ...option});
    writeFileSync(join(folder, name), `${chart.renderToSVGString()}\n`);
    chart.dispose();
  };
}

/** Every machine: area against speedup of all GEMMs together; the front of each pattern joined. */
export function areaOption(machines, base) {
  const points = machines.map((one) => ({...one, area: one.area / base, name: grownText(one.factors)}));
  return {
    legend: {top: 4, itemGap: 30, data: patterns}, grid: {left: 60, right: 24, top: 40, bottom: 50},
    xAxis: {...axis, type: 'value', scale: true, name: 'area of the machine, A100 = 1', nameLocation: 'middle', nameGap: 30},
    yAxis: {...axis, type: 'value', scale: true, name: 'speedup over dense', nameLocation: 'middle', nameGap: 40},
    series: patterns.flatMap((pattern, i) => {
      const own = points.filter((one) => one.pattern === pattern);
      return [
        {type: 'scatter', name: pattern, symbolSize: 4, itemStyle: {color: tones[i], opacity: 0.5}, data: own.map((one) => [one.area, one.speedup])},
        {type: 'line', name: pattern, symbol: 'none', step: 'end', lineStyle: {color: tones[i], width: 1.5}, itemStyle: {color: tones[i]},
         data: paretoFront(own, 'area', 'speedup').map((one) => [one.area, one.speedup])}];
    }),
  };
}

/** Bars of a step's and of its dgrad's speedup, by pattern and widths. */
export function stepOption(rows) {
  const {names, series} = stepBars(rows);
  return {
    legend: {top: 4, itemGap: 50}, grid: {left: 70, right: 16, top: 40, bottom: 110},
    xAxis: {...axis, type: 'category', data: names, axisLabel: {...axis.axisLabel, interval: 0, rotate: 40}},
    yAxis: {...axis, type: 'value', min: 0, name: 'speedup over dense', nameLocation: 'middle', nameGap: 40},
    series: series.map(({name, values}, i) => ({type: 'bar', name, data: values, itemStyle: {color: tones[i]}})),
  };
}

/** How far each assumption moves a figure. @param list [{name, low, high}] as factors of the figure as it is */
export function assumptionOption(list, name) {
  const shown = list.slice(0, 14);
  return {
    grid: {left: 250, right: 24, top: 16, bottom: 50},
    xAxis: {...axis, type: 'value', scale: true, name, nameLocation: 'middle', nameGap: 30},
    yAxis: {...axis, type: 'category', inverse: true, data: shown.map((one) => one.name)},
    series: [{type: 'custom', encode: {x: [0, 1], y: 2}, data: shown.map((one, i) => [Math.min(one.low, one.high), Math.max(one.low, one.high), i]),
      renderItem: (_, api) => {
        const [x1, y] = api.coord([api.value(0), api.value(2)]);
        const [x2] = api.coord([api.value(1), api.value(2)]);
        return {type: 'rect', shape: {x: x1, y: y - 7, width: Math.max(2, x2 - x1), height: 14}, style: {fill: tones[0]}};
      }}],
  };
}
