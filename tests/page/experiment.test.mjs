import assert from 'node:assert/strict';
import {test} from 'node:test';

import {commandOf, experimentOf, queryOf, sliders, stopText, stopsOf, wordsOf, yamlOf} from '../../page/src/experiment.js';

const typed = [['arch', 'a100'], ['network', ''], ['dtype', 'fp16'], ['m', '64'], ['n', '128'], ['k', '256'], ['sparsity', '2:4 pairs'],
               ['accelerator.num_sms', '54'], ['clock_mhz', ''], ['accelerator.l2_cache.capacity_bytes', '20971520']];
const layer = [['arch', 'h100_pcie'], ['network', 'resnet50'], ['dtype', 'bf16'], ['layer', 'layer3.0.conv2'], ['phase', 'dgrad'], ['scheme', 'slope'], ['m', '64']];

test('an address says the whole experiment, and nothing that is the machine\'s own or of the other kind of work', () => {
  for (const fields of [typed, layer]) {
    const experiment = experimentOf(fields);
    assert.deepEqual(experimentOf([...new URLSearchParams(queryOf(experiment))]), experiment);
  }
  assert.deepEqual(Object.keys(experimentOf(typed)), ['arch', 'm', 'n', 'k', 'sparsity', 'dtype', 'accelerator.num_sms', 'accelerator.l2_cache.capacity_bytes']);
  assert.deepEqual(Object.keys(experimentOf(layer)), ['arch', 'network', 'layer', 'phase', 'scheme', 'dtype']);
  assert.equal(experimentOf([...typed, ['accelerator.evil', '1']])['accelerator.evil'], undefined);
});

test('words of the command line', () => {
  assert.deepEqual(wordsOf(experimentOf(typed)), ['--arch', 'a100', '--m', '64', '--n', '128', '--k', '256', '--sparsity', '2:4 pairs', '--dtype', 'fp16',
    '--set', 'accelerator.num_sms=54', '--set', 'accelerator.l2_cache.capacity_bytes=20971520']);
  assert.equal(commandOf(experimentOf(layer)), 'stcsim gemm --arch h100_pcie --layer resnet50:layer3.0.conv2 --phase dgrad --scheme slope --dtype bf16');
  assert.match(commandOf(experimentOf(typed)), / --sparsity '2:4 pairs' /);
});

test('YAML: a machine with what is changed of it, and its work', () => {
  assert.equal(yamlOf(experimentOf(typed)), `# stcsim sweep run FILE --each
machines:
  - name: changed
    extends: a100
    accelerator:
      num_sms: 54
      l2_cache:
        capacity_bytes: 20971520
gemms: [{m: 64, n: 128, k: 256, pattern: "2:4 pairs"}]
dtype: fp16
`);
  assert.match(yamlOf(experimentOf(layer)), /^machines: \[h100_pcie\]\nnetworks: \[resnet50\]\nphases: \[dgrad\]\nschemes: \[dense, slope\]\ndtype: bf16\n$/m);
});

test('stops of a slider: multiples of the machine\'s own value, each once; none without a limit', () => {
  const [sms, clock, l2] = sliders;
  assert.deepEqual(stopsOf(sms, {accelerator: {num_sms: 8}}).map(({value}) => value), [1, 2, 4, 6, 8, 10, 12, 16]);
  assert.deepEqual(stopsOf(sms, {accelerator: {num_sms: 1}}).map(({value}) => value), [1, 2]);
  assert.equal(stopsOf(sms, {accelerator: {num_sms: 1}})[0].multiple, 1);
  assert.deepEqual(stopsOf(clock, {clock_mhz: 'unlimited'}), []);
  assert.deepEqual(stopsOf(l2, {}), []);
  const sharedMemory = {banks: 32, bank_bytes: 4, fill_bytes_per_clk: 64};
  const machine = {accelerator: {sm: {shared_memory: sharedMemory}}};
  const valuesOf = (name) => stopsOf(sliders.find((one) => one.name === name), machine).map(({value}) => value);
  assert.deepEqual(valuesOf('copies into shared memory'), [16, 32, 48, 64, 96, 128], 'no wider than all banks');
  assert.deepEqual(valuesOf('shared memory, a bank'), [2, 3, 4, 6, 8, 12, 16], 'together no narrower than copies');
  assert.equal(stopText(l2, {value: 20 * 2 ** 20, multiple: 0.5}), '20 MiB (0.5×)');
  assert.equal(stopText(sms, {value: 108, multiple: 1}), '108');
});
