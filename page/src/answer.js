// The answer in a sentence, from the totals of a group.

import {digits3, factor, time, wholePercent} from './format.js';
import {denseTime, density, hasDenseSteps, isGemm, ranking, rowsOf, stepWord, titleOf} from './study.js';

/** Largest share of a GEMM's multiplications that a scheme's sparse hardware skips, 0 to 1. */
export function skippedShare(group, scheme) {
  return rowsOf(group, scheme).filter((row) => isGemm(row) && row.ran_sparse)
    .reduce((most, row) => Math.max(most, 1 - density(row.hardware_pattern)), 0);
}

/** Of the products that a scheme asks a pattern of, repeats counted: how many ran sparse, and how many there are. */
export function sparseProducts(group, scheme) {
  const asked = rowsOf(group, scheme).filter((row) => isGemm(row) && row.pattern !== 'dense');
  const count = (rows) => rows.reduce((sum, row) => sum + row.repeat, 0);
  return [count(asked.filter((row) => row.ran_sparse)), count(asked)];
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
  const [ran, asked] = sparseProducts(group, best.scheme);
  const products = asked > 0 ? ` ${ran} of its ${asked} products ran sparse.` : '';
  const details = `${best.scheme}: ${time(best['training.time_us'])}${mean} instead of ${time(dense)}, ` +
    `${factor(best.speedup)}${interval(best) && ` (${interval(best)})`}.${products}`;
  if (best.speedup <= 1 || best.verdict === 'as dense') {
    const longer = 1 / best.speedup - 1;
    return {headline: `${where}: no scheme saves time; the best takes ${
      longer < 0.0005 || best.verdict === 'as dense' ? 'as long as dense' : `${digits3(100 * longer)} % longer`}`, details};
  }
  if (best.verdict === 'not told apart') {
    return {headline: `${where}: no scheme can be told apart from dense; the best may save ` +
      `${wholePercent(saved)} of a ${step}${not}`, details};
  }
  return {headline: `${where}: the best scheme saves ${wholePercent(saved)} of a ${step}${not}`, details};
}
