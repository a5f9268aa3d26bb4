// Pictures of predictions beside measurements (scripts/validation).

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {firstPicture, gainLines} from '../../scripts/validation/first_picture.mjs';
import {counterSeries, errorOption, gainSeries, intervalOption, picturesOf, scatterOption, seriesOf, stepSeries, trainingSeries, withPictures} from '../../scripts/validation/pictures.mjs';

const row = (values) => ({machine: 'a100', use: 'testing', pattern: '2:4', skipped: '', m: 1, n: 2, k: 4, measured_dense_us: 10, simulated_dense_us: 12,
  measured_sparse_us: 5, simulated_sparse_us: 8, measured_speedup: 2, simulated_speedup: 1.5, ...values});
const step = (values) => ({machine: 'a100', scope: 'step', phase: 'training', skipped: '', measured_dense_us: 2000, simulated_dense_us: 1500,
  line: 7, network: 'net', config: 'bs=8', dtype: 'fp16', measured_speedup_low: null, measured_speedup_high: null, simulated_speedup_low: 1.1,
  simulated_speedup_high: 1.3, ...values});

test('series are by name, without rows that have no point', () => {
  assert.deepEqual(seriesOf([{a: 'y', v: 1}, {a: 'x', v: 2}, {a: 'y', v: 3}, {a: 'z', v: null}], ({a}) => a, ({v}) => v && [v, v]),
    [{name: 'x', points: [[2, 2]]}, {name: 'y', points: [[1, 1], [3, 3]]}]);
});

test('gains are those of 2:4, what was fitted behind the others', () => {
  const rows = [row({}), row({use: 'fitting', machine: 'h100'}), row({use: 'shown'}), row({pattern: '1:4'}), row({skipped: 'why'}), row({measured_speedup: null})];
  assert.deepEqual(gainSeries(rows).map(({name, points, colour}) => [name, points, colour]),
    [['fitted', [[2, 1.5]], '#bbbbbb'], ['not fitted: a100', [[2, 1.5]], '#0072b2']]);
});

test('steps are dense ones in ms, fine-tuning and parts of networks apart', () => {
  assert.deepEqual(stepSeries([step({}), step({phase: 'fine-tuning'}), step({phase: 'part of a network'}), step({phase: 'inference'}), step({scope: 'layer'}), step({skipped: 'why'})]),
    [{name: 'a100', points: [[2, 1.5]]}, {name: 'a100, fine-tuning', points: [[2, 1.5]]}, {name: 'a100, part of a network', points: [[2, 1.5]]}]);
});

test('gains of training are those of passes, networks measured once together', () => {
  const passes = (values) => step({scope: 'passes', gpu: 'G', measured_speedup_low: 1.5, simulated_speedup_low: 1.4, ...values});
  assert.deepEqual(trainingSeries([passes({}), passes({}), passes({network: 'b'}), passes({network: 'c', phase: 'training fwd+bwd'}),
    passes({phase: 'pruning'}), passes({skipped: 'why'}), step({measured_speedup_low: 1.2})]),
    [{name: 'net, G', points: [[1.5, 1.4], [1.5, 1.4]]}, {name: 'others, once each', points: [[1.5, 1.4], [1.5, 1.4]]}]);
});

test('axes hold all points; a far error is drawn at the edge', () => {
  const scatter = scatterOption({title: 't', unit: 'us', series: [{name: 'a', points: [[10, 12], [100, 80]]}], band: 0.1});
  assert.ok(scatter.xAxis.min < 10 && scatter.xAxis.max > 100 && scatter.yAxis.min === scatter.xAxis.min);
  const near = errorOption({title: 't', label: 'K', series: [{name: 'a', points: [[1, 1.1]]}], band: 0.1, apart: 4});
  assert.deepEqual([near.yAxis.min, near.yAxis.max], [1 / 1.5, 1.5]);
  const far = errorOption({title: 't', label: 'K', series: [{name: 'a', points: [[1, 9]]}], band: 0.1, apart: 4});
  assert.equal(far.yAxis.max, 4);
  assert.equal(far.yAxis.axisLabel.formatter(0.8), '−20 %');
  const {xAxis, yAxis, series} = intervalOption({title: 't', label: 'x', pairs: [{label: 'open', measured: [null, 1.3], simulated: [1.15, 1.5]}]});
  assert.deepEqual([xAxis.min, xAxis.max, yAxis.data], [1, 1.6, ['open']]);
  assert.deepEqual(series.map(({data}) => data), [[[1, 1.3, 0]], [[1.15, 1.5, 0]]]);
});

test('kinds without rows have no picture; the others stand below the first table of their section', () => {
  const files = (validation) => picturesOf({results: [], instructions: [], networks: [], counters: [], ...validation}).map(({file}) => file);
  assert.deepEqual(files({}), []);
  assert.equal(files({results: [row({})]}).length, 1 + 3 + 3 * 4);
  assert.deepEqual(files({results: [row({use: 'shown', measured_sparse_us: null, measured_speedup: null})]}), ['validation_dense.svg']);
  assert.deepEqual(files({instructions: [{gpu: 'A100', skipped: '', measured_fma_per_clk_sm: 1, simulated_fma_per_clk_sm: 2}]}), ['validation_instructions.svg']);
  assert.deepEqual(files({networks: [step({})]}), ['validation_steps.svg']);
  assert.deepEqual(files({networks: [step({measured_speedup_low: 1.2}), step({scope: 'layer'})]}), ['validation_networks.svg', 'validation_steps.svg']);
  const counted = {skipped: '', use: 'testing', dtype: 'bf16', pattern: '2:4', measured_cycles: 20000, simulated_cycles: 22000, measured_row_mhz: null, simulated_row_mhz: null};
  assert.deepEqual(files({counters: [counted]}), ['counters_cycles.svg']);
  assert.deepEqual(files({counters: [{...counted, measured_row_mhz: 1500, simulated_row_mhz: 1600}]}), ['counters_cycles.svg', 'counters_clocks.svg']);
  assert.deepEqual(counterSeries([counted, {...counted, pattern: 'dense', measured_cycles: 9000}, {...counted, use: 'shown'}], 'cycles'),
    [{name: 'bf16 2:4', points: [[20000, 22000]]}]);
  const picture = {title: 'T', file: 'f.svg', after: '## B'};
  assert.equal(withPictures('# A\n\n| a |\n\n## B\n\ntext\n\n| b |\n|---|\n\nmore', [picture]),
    '# A\n\n| a |\n\n## B\n\ntext\n\n| b |\n|---|\n\n![T](f.svg)\n\nmore');
  assert.throws(() => withPictures('# A', [picture]), /no '## B'/);
});

test('the first picture has a line for each thing that was timed, and names what is far off', () => {
  const pass = (values) => step({scope: 'passes', gpu: 'G', scheme: 'asp', measured_speedup_low: 1.5, simulated_speedup_low: 1.4, ...values});
  const rows = [pass({network: 'wide', measured_speedup_low: 0.72, simulated_speedup_low: 1.1}), pass({network: 'sizes', simulated_speedup_low: 1.2}),
    pass({network: 'sizes', measured_speedup_low: 1.7, simulated_speedup_low: 2}), pass({network: 'acts', scheme: 'torchao-activations', measured_speedup_low: 1, simulated_speedup_low: 1.004}),
    pass({phase: 'pruning'}), pass({skipped: 'why'}), step({gpu: 'G', scheme: 'asp', measured_speedup_low: 1.2})];
  const figures = gainLines(rows).map(({name, measured, simulated}) => [name, measured.toFixed(3), simulated.toFixed(3)]);
  assert.deepEqual(figures, [['sizes, G, mean of 2', '1.600', '1.600'], ['acts, activations, G', '1.000', '1.004'], ['wide, G', '0.720', '1.100']]);
  const svg = firstPicture(rows);
  assert.deepEqual([...svg.matchAll(/font-weight="700">([^<]*)</g)].map(([, name]) => name), ['wide, G']);
  assert.deepEqual([...svg.matchAll(/>([^<]* %)</g)].map(([, words]) => words), ['0 %', '0 %', '+53 %']);
  assert.match(svg, />2 of 3 within 10 % of the measurement/);
  const at = [...svg.matchAll(/<circle cx="([^"]*)"/g)].map(([, x]) => Number(x)).slice(2);
  assert.ok(at[4] < at[5] && at[5] < at[0], 'gains lie on one axis');
  assert.equal(firstPicture([]), '');
});
