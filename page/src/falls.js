// A waterfall as lines of text and bars, which wrap on a phone and print as they are.

import {h} from './dom.js';
import {factor} from './format.js';

const lossText = (step) => {
  const change = step.to - step.from;
  if (Math.abs(change) < 0.0005) return '0';
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(Math.abs(change) < 0.095 ? 3 : 2)}`;
};

const kindOf = (step) => {
  if (step.kind === 'level') return step.to >= 1 ? 'level' : 'level slower';
  return step.to < step.from ? 'loss' : 'gain';
};

/** @param steps [{kind: 'level'|'loss', name, from, to, help}], speedups over dense */
export function falls(steps, label) {
  const values = steps.flatMap((step) => [step.from, step.to]);
  const low = Math.min(1, ...values);
  const high = Math.max(1, ...values);
  const place = (value) => 100 * (value - low) / (high - low || 1);
  const lines = steps.map((step) => {
    const [left, right] = [step.from, step.to].map(place).sort((a, b) => a - b);
    return h('div', {class: `fall ${step.kind}`, role: 'row'},
      h('span', {class: 'name', role: 'cell', title: step.help ?? null}, step.name),
      h('span', {class: 'track', 'aria-hidden': 'true'},
        h('span', {class: `bar ${kindOf(step)}`, style: {left: `${left}%`, width: `max(2px, ${right - left}%)`}}),
        h('span', {class: 'one', style: {left: `${place(1)}%`}})),
      h('span', {class: 'value', role: 'cell'}, step.kind === 'level' ? factor(step.to) : lossText(step)));
  });
  return h('div', {class: 'falls', role: 'table', 'aria-label': label}, lines);
}
