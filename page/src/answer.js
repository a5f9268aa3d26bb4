// The answer in a sentence, from the totals of a group.

import {digits3, factor, time, wholePercent} from './format.js';
import {denseTime, density, hasDenseSteps, isGemm, ranking, rowsOf, stepWord, titleOf} from './study.js';

/** Largest share of a GEMM's multiplications that a scheme's sparse hardware skips, 0 to 1. */
export function skippedShare(group, scheme) {
  return rowsOf(group, scheme).filter((row) => isGemm(row) && row.ran_sparse)
    .reduce((most, row) => Math.max(most, 1 - density(row.hardware_pattern)), 0);
}

const interval = (total) => (total['speedup_interval.low'] > 0 && total.verdict !== 'as dense'
  ? `between ${factor(total['speedup_interval.low'])} and ${factor(total['speedup_interval.high'])}`
  : '');

/** {headline, details}: what to say of a group first. */
export function answerOf(group) {
  const step = stepWord(group);
  const dense = denseTime(group);
  const [best] = ranking(group);
  const where = titleOf(group);
  if (!best) {
    return {headline: `${where}: a dense ${step} takes ${time(dense)}`,
            details: 'No scheme was compared with it.'};
  }
  const saved = 1 - 1 / best.speedup;
  const skipped = skippedShare(group, best.scheme);
  const not = skipped > 0 ? `, not ${wholePercent(skipped)}` : '';
  const mean = hasDenseSteps(best) ? ' in the mean of a training' : '';
  const details = `${best.scheme}: ${time(best['training.time_us'])}${mean} instead of ${time(dense)}, ` +
    `${factor(best.speedup)}${interval(best) && ` (${interval(best)})`}.`;
  if (best.speedup <= 1) {
    const longer = 1 / best.speedup - 1;
    return {headline: `${where}: no scheme saves time; the best takes ${
      longer < 0.0005 ? 'as long as dense' : `${digits3(100 * longer)} % longer`}`, details};
  }
  if (best.verdict === 'not told apart') {
    return {headline: `${where}: no scheme can be told apart from dense; the best may save ` +
      `${wholePercent(saved)} of a ${step}${not}`, details};
  }
  return {headline: `${where}: the best scheme saves ${wholePercent(saved)} of a ${step}${not}`, details};
}
