// What patterns bring to a network (stcsim.patterns/1): gains before and after parts are widened, and what that takes.

import {h, section} from './dom.js';
import {digits3, factor, percent} from './format.js';
import {seriesBars} from './series_bars.js';
import {table} from './table.js';

const range = (row, key) => (row[`${key}_low`] === null ? '' : `${row[`${key}_low`]} to ${row[`${key}_high`]}`);
export const widerText = (row) => row.wider.map(({part, factor: times}) => `${part} ×${times}`).join(', ') || 'nothing';
/** The least and the most that is published. */
export const lossText = ({losses}) => {
  const [least, most] = [(a, b) => b.loss < a.loss, (a, b) => b.loss > a.loss].map((is) => losses.reduce((a, b) => (!a || is(a, b) ? b : a), null));
  const text = ({loss, metric, scheme, network}) => `${loss} ${metric} (${scheme}, ${network})`;
  if (!least) return 'unknown';
  return losses.length === 1 ? text(least) : `${text(least)} to ${text(most)}, ${losses.length} figures`;
};

const series = [['gain_today', 'as wide as the machine is', 'quiet'], ['gain_then', 'wider', 'fast'], ['at_most', 'at most', 'gemm3']];

export function patternsSection(document, {suffix}) {
  const {patterns, network, machine, scheme} = document;
  const bars = seriesBars({names: patterns.map((row) => row.pattern), axisName: 'gain of the sparse products over dense', label: 'gain by pattern',
    series: series.map(([key, name, tone]) => ({name, tone, values: patterns.map((row) => row[key])})), tell: (value, {name}) => [`${name}:`, factor(value)]});
  const columns = [['pattern', 'pattern'], ['at_most', 'at most', factor], ['gain_today', 'gain', factor], ['gain_then', 'wider', factor], ['step_gain_then', 'step', factor],
    ['area_ratio', 'area', digits3], ['energy_ratio', 'energy', percent], ['watts', 'watts', Math.round]].map(([key, title, format]) =>
    ({key, title, format: format && ((value) => (value === null ? '' : String(format(value))))}));
  const texts = [['transistors', (row) => range(row, 'selector_transistors')], ['depth', (row) => range(row, 'selector_depth')],
    ['what is wider', widerText], ['loss published', lossText]].map(([title, value]) => ({key: title, title, value}));
  return {
    answers: [{headline: document.headline, details: `${network} on ${machine}, ${scheme}`}],
    element: section(`patterns${suffix}`, `Patterns: ${network} on ${machine}`,
      h('p', {class: 'note'}, `Sparse products of ${scheme} with the best kernels that the machine could run, then with the parts named below widened: the most gain for area. `
        + 'Area is of the machine’s, energy of dense; transistors and depth are those of the selector of a multiplier, by synthesis.'),
      bars.element,
      table({name: 'patterns', rows: patterns, isTall: true, columns: [...columns, ...texts], sortBy: null})),
  };
}
