// The waterfall of a scheme.

import {h} from './dom.js';
import {falls} from './falls.js';
import {words} from './format.js';
import {rowsOf, totalOf} from './study.js';
import {waterfall} from './waterfall.js';

const meaning = {
  multiplication: 'm/n of the hardware pattern, of what runs sparse',
  sparse: 'dense time / time of the GEMMs that run sparse',
  gemms: 'forward, dgrad and wgrad together',
  free: 'all kernels but those the scheme spends on choosing and compressing',
  step: 'everything charged',
  training: 'averaged over training, part of which is dense',
};

export function waterfallView(group, scheme) {
  const steps = waterfall(rowsOf(group, scheme), totalOf(group, scheme).share_of_training);
  if (steps === null) return h('p', {}, `Nothing of ${scheme} runs on sparse tensor cores.`);
  return h('div', {},
    falls(steps.map((step) => ({...step, name: words(step.name), help: meaning[step.about]})),
      `what is left of the gain of ${scheme}`),
    h('p', {class: 'note'}, 'Speedups over dense; the line is 1×. Between “a multiplication” and “the GEMMs that run ' +
      'sparse”, what a GEMM loses is put down to what most of its time is lost to (bound_by). Then, largest first, ' +
      'what has no gain is added: GEMMs that stay dense, other kernels, pruning. What a line takes depends on those above it.'));
}
