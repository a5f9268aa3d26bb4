import assert from 'node:assert/strict';
import {test} from 'node:test';

import {comparisons, errorsOf, roundDown, roundUp} from '../../page/src/validation.js';

const row = (measured, simulated, use) => ({measured_dense_us: measured, simulated_dense_us: simulated, use});

test('errors are of the rows that are scored, all rows are points', () => {
  const [dense, ...others] = comparisons({results: [row(10, 11, 'fitting'), row(10, 8, 'testing'), row(10, 99, 'shown'), row(10, null, 'testing')]});
  assert.equal(others.length, 0);
  assert.equal(dense.rows.length, 3);
  const errors = errorsOf(dense.rows);
  assert.equal(errors.rows, 2);
  assert.ok(Math.abs(errors.meanAbsolute - 0.15) < 1e-12);
  assert.ok(Math.abs(errors.bias + 0.05) < 1e-12);
});

test('axes end at round numbers', () => {
  assert.deepEqual([3, 0.07, 20].map(roundDown), [2, 0.05, 20]);
  assert.deepEqual([3, 0.07, 20].map(roundUp), [5, 0.1, 20]);
});
