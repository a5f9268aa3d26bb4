// Speedups of whole steps, and of their dgrad, by pattern and widths.

import {geometricMean, groupBy, growth, limitOf, patterns} from './sweeps.mjs';
import {table, times} from './markdown.mjs';

export const levels = [
  {name: 'widths ×1', on_chip: 1, dram: 1}, {name: '×2', on_chip: 2, dram: 1}, {name: '×4', on_chip: 4, dram: 1},
  {name: '×4, DRAM ×2', on_chip: 4, dram: 2},
];

/** The row of a pattern at these widths. @param factorsOf of growth() */
function at(rows, factorsOf, pattern, level) {
  const found = rows.find((row) => {
    const factors = factorsOf(row);
    return row['scheme.pattern'] === pattern && factors['shared memory'] === level.on_chip && factors.DRAM === level.dram;
  });
  if (!found) throw new Error(`no step of ${pattern} with ${level.name}`);
  return found;
}

export const workOf = (row) => `${row.network}, ${row.scheme}`;

/** One table per figure: dgrad once (it does not depend on the framework), a step under each framework. */
export function stepTables(rows) {
  const work = groupBy(rows, workOf);
  const factorsOf = growth(rows);
  const head = [{title: 'network, scheme'}, {title: 'pattern'}, {title: 'm/n', right: true}, ...levels.map(({name}) => ({title: name, right: true}))];
  const tableOf = (framework, key) => table(head, [...work].flatMap(([name, own]) => patterns.map((pattern) =>
    [name, pattern, times(limitOf(pattern)), ...levels.map((level) =>
      times(at(own.filter((row) => row.framework === framework), factorsOf, pattern, level)[key]))])));
  const frameworks = [...groupBy(rows, (row) => row.framework).keys()];
  return {dgrad: tableOf(frameworks[0], 'dgrad_speedup'), steps: frameworks.map((framework) => ({framework, table: tableOf(framework, 'speedup')}))};
}

/** Bars: dgrad and a step under each framework, with the narrow and the wide machine, per network and pattern. */
export function stepBars(rows) {
  const work = groupBy(rows, workOf);
  const factorsOf = growth(rows);
  const pairs = [...work].flatMap(([name, own]) => patterns.map((pattern) => ({name: `${name.split(',')[0]} ${pattern}`, own, pattern})));
  const frameworks = [...groupBy(rows, (row) => row.framework).keys()];
  const values = (framework, key, level) => pairs.map(({own, pattern}) =>
    at(own.filter((row) => row.framework === framework), factorsOf, pattern, level)[key]);
  const [narrow, , wide] = levels;
  return {
    names: pairs.map(({name}) => name),
    series: [{name: 'dgrad, widths ×1', values: values(frameworks[0], 'dgrad_speedup', narrow)}, {name: 'dgrad, ×4', values: values(frameworks[0], 'dgrad_speedup', wide)},
             ...frameworks.map((framework) => ({name: `step, ×4, ${framework}`, values: values(framework, 'speedup', wide)}))],
  };
}

/** Of each level the patterns with the geometric mean of the speedups of all steps under all frameworks. */
export function meanSteps(rows) {
  const factorsOf = growth(rows);
  const work = [...groupBy(rows, (row) => `${workOf(row)} ${row.framework}`).values()];
  return levels.map((level) => ({level, patterns: patterns.map((pattern) => ({
    pattern, speedup: geometricMean(work.map((own) => at(own, factorsOf, pattern, level).speedup)), area: at(work[0], factorsOf, pattern, level).area_mm2}))}));
}
