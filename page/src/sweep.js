// What a sweep's page shows: arithmetic on rows of stcsim.sweep/1.

import {digits3, factor} from './format.js';

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
const geometricMean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/**
 * What axes are called: as their zip is, else the shortest ending of the name that no other has.
 * @param groups {axis: name of its zip}
 * @returns {'machine.a.width': 'a.width', ...}
 */
export function shortNames(names, groups = {}) {
  const ending = (name, parts) => name.split('.').slice(-parts).join('.');
  const shortest = (name) => {
    for (let parts = 1; ; ++parts) {
      const text = ending(name, parts);
      if (text === name || !names.some((other) => other !== name && ending(other, parts) === text)) return text;
    }
  };
  return Object.fromEntries(names.map((name) => [name, groups[name] || shortest(name)]));
}

/** What axes are called: as their zip is, with the words and the unit that the terminal has for them, or by their shortest ending. */
export function axisNames(axes) {
  const short = shortNames(axes.map(({name}) => name), groupsOf(axes));
  return Object.fromEntries(axes.map(({name, zip, title, unit}) => [name, !zip && title ? `${title}${unit ? `, ${unit}` : ''}` : short[name]]));
}

/** "L2 read 7680 B/clk" */
const valueOf = ({name, zip, title, unit}, names, value) => (!zip && title ? `${title} ${value}${unit ? ` ${unit}` : ''}` : `${names[name]} ${value}`);

/** Names of the zips of axes that are in one. */
export const groupsOf = (axes) => Object.fromEntries(axes.filter(({zip}) => zip).map(({name, zip}) => [name, zip]));

/** Columns that differ between the rows and are numbers wherever they are anything. */
export function numberColumns(rows) {
  const keys = [...new Set(rows.flatMap(Object.keys))].filter((key) => key !== 'point');
  return keys.filter((key) => {
    const known = rows.map((row) => row[key]).filter((value) => value !== null && value !== undefined);
    return known.length > 0 && known.every(isNumber) && known.some((value) => value !== known[0]);
  });
}

/**
 * Of each dimension that varies between the rows the axis with the most values, which stands for those that are zipped
 * with it.
 */
export function variedAxes(rows, axes) {
  const values = ({name}) => new Set(rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined).map(String)).size;
  const chosen = new Map();
  for (const axis of axes) {
    const count = values(axis);
    if (count > 1 && count >= (chosen.get(axis.dimension)?.count ?? 0)) chosen.set(axis.dimension, {name: axis.name, count});
  }
  return axes.map(({name}) => name).filter((name) => [...chosen.values()].some((one) => one.name === name));
}

/** Whether an axis says what is done, not what with: of a network or a GEMM, all but its pattern. */
export const isAxisOfWork = (name) => name !== 'gemm.pattern' && /^(gemm|network)(\.|$)/.test(name);

/** What a row does: its values of such axes as have several. */
export const workOf = (row, axes) => axes.filter(({name, values}) => isAxisOfWork(name) && values?.length !== 1)
  .map(({name}) => row[name]).filter((value) => value !== null && value !== undefined).join(' ');

/**
 * Points of different work do not compete: a row per choice of all else, each number the geometric mean over all work.
 * Choices that lack some of it are left out. The rows themselves where all is one work.
 */
export function overWork(rows, axes) {
  const works = new Set(rows.map((row) => workOf(row, axes)));
  if (works.size < 2) return rows;
  const chosen = axes.map(({name}) => name).filter((name) => !isAxisOfWork(name));
  const groups = new Map();
  for (const row of rows) {
    const key = JSON.stringify(chosen.map((name) => row[name]));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const mean = ([first, ...others]) => Object.fromEntries(Object.entries(first).filter(([name]) => !isAxisOfWork(name)).map(([name, value]) => {
    const values = [value, ...others.map((row) => row[name])];
    const numbers = !chosen.includes(name) && name !== 'point' && values.every((one) => isNumber(one) && one > 0);
    return [name, numbers ? geometricMean(values) : values.every((one) => one === value) || name === 'point' ? value : null];
  }));
  return [...groups.values()].filter((group) => new Set(group.map((row) => workOf(row, axes))).size === works.size).map(mean);
}

/** Whether of two values of a column the larger one is the better one. */
export const largestIsBest = (column) => /speedup|utilization|share/.test(column);

/** Rows that none beats in both columns, in order of the first. */
export function paretoFront(rows, x, y) {
  const turn = (column, value) => (largestIsBest(column) ? -value : value);
  const known = rows.filter((row) => isNumber(row[x]) && isNumber(row[y]))
    .sort((a, b) => turn(x, a[x]) - turn(x, b[x]) || turn(y, a[y]) - turn(y, b[y]));
  const front = [];
  let best = Infinity;
  for (let i = 0; i < known.length; ++i) {
    const value = turn(y, known[i][y]);
    const last = front.at(-1);
    if (value < best || (last && last[x] === known[i][x] && last[y] === known[i][y])) front.push(known[i]);
    best = Math.min(best, value);
  }
  return front;
}

/** The axis of patterns, if rows have several: points of one lose other accuracy than those of another, and do not compete with them. */
export const patternAxis = (rows) => ['gemm.pattern', 'scheme.pattern'].find((key) => new Set(rows.map((row) => row[key])).size > 1) ?? '';

/** A front of each pattern. */
export function paretoFronts(rows, x, y) {
  const by = patternAxis(rows);
  const patterns = by === '' ? [undefined] : [...new Set(rows.map((row) => row[by]))];
  return patterns.map((pattern) => paretoFront(by === '' ? rows : rows.filter((row) => row[by] === pattern), x, y));
}

/**
 * What each axis by itself does to a column: among rows that are alike in all other axes, how many times the geometric
 * mean of them each value of the axis gives, in the geometric mean of these groups. Largest effect first.
 * @returns [{axis, effects: [{value, factor}], span}], in the order the values come in
 */
export function sensitivity(rows, axes, column) {
  const effectsOf = (axis) => {
    const groups = new Map();
    for (const row of rows.filter((one) => one[column] > 0 && one[axis] !== null && one[axis] !== undefined)) {
      const key = JSON.stringify(axes.filter((one) => one !== axis).map((one) => row[one]));
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(row);
    }
    const factors = new Map();
    for (const group of groups.values()) {
      if (new Set(group.map((row) => row[axis])).size < 2) continue;
      const mean = geometricMean(group.map((row) => row[column]));
      for (const row of group) factors.set(row[axis], [...(factors.get(row[axis]) ?? []), row[column] / mean]);
    }
    return [...factors].map(([value, list]) => ({value, factor: geometricMean(list)}));
  };
  return axes.map((axis) => ({axis, effects: effectsOf(axis)})).filter(({effects}) => effects.length > 1)
    .map((one) => ({...one, span: Math.max(...one.effects.map((effect) => effect.factor)) / Math.min(...one.effects.map((effect) => effect.factor))}))
    .sort((a, b) => b.span - a.span);
}

/** The answer of a sweep: its fastest point and what matters most. */
export function sweepAnswer(sweep, rows) {
  const axes = variedAxes(rows, sweep.axes);
  const names = axisNames(sweep.axes);
  const axisOf = (name) => sweep.axes.find((one) => one.name === name);
  const best = rows.filter((row) => isNumber(row.speedup)).sort((a, b) => b.speedup - a.speedup)[0];
  const missing = sweep.missing > 0 ? ` ${sweep.missing} points are not done yet.` : '';
  if (!best) return {headline: `${sweep.space}: no point is done`, details: missing.trim()};
  const [first, second] = sensitivity(rows, axes, 'speedup');
  const about = (one) => `${names[one.axis]} (${digits3(one.span)}×)`;
  const matters = first ? ` What matters most to the speedup: ${about(first)}${second ? `, then ${about(second)}` : ''}.` : '';
  return {
    headline: `${sweep.space}: at most ${factor(best.speedup)} of dense, in ${rows.length} points`,
    details: `${axes.length > 0 ? `With ${axes.map((axis) => valueOf(axisOf(axis), names, best[axis])).join(', ')}.` : ''}${matters}${missing}`.trim(),
  };
}
