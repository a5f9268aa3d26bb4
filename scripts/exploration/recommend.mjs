// Which pattern and which widths: the rules by which the report recommends them.

import {machinesOf, smallest} from './gemms.mjs';
import {limitOf} from './sweeps.mjs';
import {meanSteps} from './steps.mjs';

/** A step that is slower by no more than this counts as equally fast; a pattern that keeps more is then the better one. */
export const equalSteps = 0.98;
/** Share of the fastest machine's speedup that the recommended one keeps. */
export const nearlyFastest = 0.9;

/** The pattern that keeps most values of those under which steps are as fast as any, at every level of widths. */
export function recommendedPattern(steps) {
  const at = meanSteps(steps);
  const isEqual = (pattern) => at.every(({patterns}) => {
    const best = Math.max(...patterns.map((one) => one.speedup));
    return patterns.find((one) => one.pattern === pattern).speedup >= equalSteps * best;
  });
  return at[0].patterns.filter(({pattern}) => isEqual(pattern))
    .sort((a, b) => limitOf(a.pattern) - limitOf(b.pattern) || a.area - b.area)[0].pattern;
}

/** The smallest machine of a pattern on which GEMMs are nearly as fast as on the fastest. */
export function recommendedMachine(gemms, pattern) {
  const own = machinesOf(gemms).filter((one) => one.pattern === pattern);
  const best = Math.max(...own.map((one) => one.speedup));
  return smallest(own, (one) => one.speedup >= nearlyFastest * best);
}
