// What had to grow, in which order: answers of `stcsim design --format json`.

import {change, percent, table, times} from './markdown.mjs';

const stepText = ({grows, gain}) => `${grows.join(' + ')} (${change(gain)})`;
const rank = ['first', 'second', 'third'];

/** What saturates first, second and third on the way up to the largest machine. @param designs [{pattern, design}] */
export function orderTable(designs) {
  return table([{title: 'pattern'}, {title: 'to begin with', right: true}, ...rank.map((title) => ({title})), {title: 'largest', right: true}, {title: 'then bound by'}],
    designs.map(({pattern, design}) => {
      const [unit, share] = Object.entries(design.largest.bound_by)[0] ?? ['', 0];
      return [pattern, times(design.base.speedup), ...rank.map((_, i) => (design.way[i] ? stepText(design.way[i]) : '-')),
              times(design.largest.speedup), unit === '' ? '-' : `${unit.replaceAll('_', ' ')}, ${percent(share)} of the time`];
    }));
}

/** What the cheapest machine has that restores a share of m/n, or of the nearest if none does. */
export function goalTable(designs) {
  const grown = (machine) => Object.entries(machine.factors).filter(([, factor]) => factor !== 1)
    .map(([name, factor]) => `${name} ×${Number(factor.toPrecision(3))}`).join(', ') || 'nothing';
  return table([{title: 'pattern'}, {title: 'asked', right: true}, {title: 'reached', right: true}, {title: 'with'}, {title: 'area', right: true}, {title: 'energy', right: true}],
    designs.map(({pattern, design}) => [pattern, times(design.question.at_least), design.is_reached ? times(design.answer.speedup) : `no: ${times(design.answer.speedup)}`,
      grown(design.answer), times(design.answer.area_ratio), design.answer.joules === null ? '-' : times(design.answer.joules / design.answer.dense_joules)]));
}
