// The chain of an explanation (stcsim.explain/2) as a waterfall.

import {percent} from './format.js';

const alone = ({saved_alone: saved}) => (typeof saved === 'number' ? ` (alone ${percent(saved)})` : '');

/** Gains from the multiplications at peak rate to the GEMM as it is, each link what the machine has more. */
export function chainSteps(explanation) {
  const steps = [{kind: 'level', name: 'multiplications at peak rate', from: 1, to: explanation.at_peak.speedup}];
  let before = explanation.at_peak.speedup;
  for (const link of explanation.chain) {
    steps.push({kind: 'loss', name: `+ ${link.what}${alone(link)}`, from: before, to: link.speedup});
    before = link.speedup;
  }
  return [...steps, {kind: 'level', name: 'the GEMM', from: 1, to: explanation.all.speedup}];
}
