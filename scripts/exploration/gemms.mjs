// What widths do to the speedup of backward GEMMs, by pattern.

import {geometricMean, groupBy, grownText, growth, limitOf, patterns} from './sweeps.mjs';
import {percent, table, times} from './markdown.mjs';

export const goal = 0.9;   // of m/n

/** Machines of the space with what all GEMMs come to on them: {pattern, factors, area, least, most, speedup, energy}. */
export function machinesOf(rows) {
  const factorsOf = growth(rows);
  const keyOf = (row) => JSON.stringify([row['gemm.pattern'], factorsOf(row)]);
  return [...groupBy(rows, keyOf).values()].map((own) => ({
    pattern: own[0]['gemm.pattern'], factors: factorsOf(own[0]), area: own[0].area_mm2,
    least: own[0].least_area_mm2, most: own[0].most_area_mm2,
    speedup: geometricMean(own.map((row) => row.speedup)), energy: geometricMean(own.map((row) => row.joules / row.dense_joules)), rows: own,
  }));
}

const size = (factors) => Object.values(factors).reduce((product, factor) => product * factor, 1);
const smallestFirst = (a, b) => a.area - b.area || size(a.factors) - size(b.factors);

/** The smallest of the machines that a figure says enough of, or nothing. */
export const smallest = (machines, isEnough) => machines.filter(isEnough).sort(smallestFirst)[0];

/** Transistors of each pattern's selector for every multiplier, in crossbars and in ordered lanes. @param gates what `make rtl` writes */
export function selectorTable(gates) {
  const lines = gates.split('\n').filter((line) => /^[0-9]/.test(line)).map((line) => line.split(','));
  const of = (pattern, lanes) => {
    const each = lines.filter((line) => line[0] === pattern && line[1] === lanes).map((line) => Number(line[4]) / Number(pattern.split(':')[0]));
    return {least: Math.min(...each), most: Math.max(...each)};
  };
  const cell = ({least, most}) => `${Math.round(least)} to ${Math.round(most)}`;
  return table([{title: 'pattern'}, {title: 'crossbar', right: true}, {title: 'ordered lanes', right: true}, {title: 'saved', right: true}],
    ['2:4', ...patterns].map((pattern) => {
      const [crossbar, ordered] = [of(pattern, 'crossbar'), of(pattern, 'ordered')];
      return [pattern, cell(crossbar), cell(ordered), `${percent(1 - ordered.least / crossbar.least)}, ${percent(1 - ordered.most / crossbar.most)}`];
    }));
}

/** Of each pattern and GEMM what has to grow for a share of m/n, or how far the largest machine comes. */
export function widthsTable(rows) {
  const factorsOf = growth(rows);
  const byWork = groupBy(rows, (row) => `${row['gemm.pattern']} ${row.gemm}`);
  const gemms = [...groupBy(rows, (row) => row.gemm).keys()];
  const cell = (pattern, gemm) => {
    const own = byWork.get(`${pattern} ${gemm}`).map((row) => ({row, factors: factorsOf(row), area: row.area_mm2}));
    const enough = smallest(own, ({row}) => row.speedup >= goal * limitOf(pattern));
    if (enough) return grownText(enough.factors);
    const best = own.reduce((most, one) => (one.row.speedup > most.row.speedup ? one : most));
    return `at most ${percent(best.row.speedup / limitOf(pattern))}: ${best.row.bound_by.replaceAll('_', ' ')}`;
  };
  return table([{title: 'GEMM'}, ...patterns.map((pattern) => ({title: `${pattern} (${times(limitOf(pattern))})`}))],
    gemms.map((gemm) => [gemm, ...patterns.map((pattern) => cell(pattern, gemm))]));
}

/**
 * Of each pattern: the machine with 2:4's widths, that with the most speedup per area, and the fastest.
 * @param base area of the A100, mm2
 */
export function costTable(machines, base) {
  const lines = patterns.flatMap((pattern) => {
    const own = machines.filter((one) => one.pattern === pattern);
    const narrow = smallest(own, ({factors}) => size(factors) === 1);
    const dense = own.reduce((most, one) => (one.speedup / one.area > most.speedup / most.area ? one : most));
    const top = Math.max(...own.map((one) => one.speedup));
    const fast = smallest(own, (one) => one.speedup >= 0.99 * top);
    return [['2:4’s widths', narrow], ['most speedup per area', dense], ['fastest (within 1 %)', fast]].map(([name, one]) => [
      pattern, name, grownText(one.factors), times(one.speedup), percent(one.speedup / limitOf(pattern)), times(one.area / base),
      (one.area / base / one.speedup).toFixed(3), times(one.energy), (one.energy / one.speedup).toFixed(3)]);
  });
  return table([{title: 'pattern'}, {title: 'machine'}, {title: 'grown'}, {title: 'speedup', right: true}, {title: 'of m/n', right: true},
                {title: 'area', right: true}, {title: 'area / speedup', right: true}, {title: 'energy', right: true}, {title: 'energy / speedup', right: true}], lines);
}
