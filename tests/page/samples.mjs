// Documents to make pages of: what the program prints, and a study as large as any.

import {execFileSync, spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {samplePaper} from './paper_sample.mjs';

/** Something that would run, were it not data. */
export const evil = '</script><script>window.evil = 1</script><img src=x onerror="window.evil = 1">';

const gemm = ['--arch', 'a100', '--m', '512', '--n', '512', '--k', '512', '--sparsity', '2:4'];
const study = ['run', '--network', 'bert_base_s128', '--batch', '4', '--arch', 'a100', '--schemes', 'dense,slope,mvue-2-4,fst'];

/** Two schemes with curves, as `stcsim tta` writes them. */
const curvePoints = (end) => [1, 2, 3, 4].map((x) => ({x, runs: 3, mean: end - 20 / x, least: end - 21 / x, most: end - 19 / x}));
const trained = (scheme, verdict, hours, end) => ({
  machine: 'a100', scheme, verdict, hours: {mean: hours, interval: [hours * 0.9, hours * 1.1]},
  speedup: {value: 4 / hours, interval: [3.6 / hours, 4.4 / hours]}, to_target: {reached: 3, runs: 3, mean: 3, interval: [2, 4], predicted: false},
  break_even: 1.1, pareto: true, evidence: '3 curves', points: curvePoints(end).map(({x, mean}) => ({hours: x * hours / 4, mean}))});
const tta = {
  schema: 'stcsim.tta/1', version: '0', config_hash: '0', config: {},
  question: {metric: 'acc', over: 'epochs', target: 90, networks: ['net'], confidence: 0.95},
  curves: [{scheme: 'dense', points: curvePoints(95)}, {scheme: evil, points: curvePoints(94)}],
  results: [trained('dense', 'baseline', 4, 95), trained(evil, 'faster', 3, 94), {...trained('never', 'not reached', 1, 80), hours: null}],
  orderings: [{scheme: evil, against: 'dense', claim: 'no worse', source: 'a paper',
    final: {difference: -1, p_value: 0.3, least_p: 0.1, told_apart: false}}],
  tests: 3, comparisons: [], measured: [], notes: ['a note'],
};

/** An experiment for `stcsim tta` itself. */
export const experiment = `machines: [a100]
networks: [{name: resnet9_cifar10, batch: 64}]
schemes: [dense, sdgp]
time_to_accuracy:
  samples_per_epoch: 50000
  epochs: 3
  target: 90
  trainings:
    - {scheme: dense, curves: [runs.csv, more.csv]}
    - {scheme: sdgp, curves: [more.csv, runs.csv]}
`;

/** A space of eight GEMM points and one of steps. */
const space = `machines: [a100_nm]
gemms: [{name: one, m: 256, n: 256, k: 512}, {name: ${JSON.stringify(evil)}, m: 512, n: 256, k: 256}]
networks: [{name: resnet9_cifar10, batch: 64}]
schemes: [sdgp]
kernel_candidates: 1
axes:
  gemm.pattern: ["2:4", "1:8"]
  machine.accelerator.num_sms: [4, 8]
`;

/** Two networks on two machines. */
const networks = 'machines: [a100, h100_sxm]\nnetworks: [{name: resnet9_cifar10, batch: 64}, {name: tiny_transformer, batch: 64}]\nschemes: [dense, slope, sdgp, asp]\n';

/** A machine that may grow in four ways. */
const grows = `machines: [a100_nm8_naive]
clock_mhz: 1410
gemms: [{name: one, m: 512, n: 512, k: 512, pattern: "1:8"}]
axes:
  machine.accelerator.num_sms: [4]
  machine.accelerator.sm.operand_selector.b_bytes_per_clk: [64, 128, 256]
  machine.accelerator.sm.shared_memory.bank_bytes: [4, 8]
  machine.accelerator.dram.bytes_per_clk: [100, 200]
zip: {DRAM: [machine.accelerator.dram.bytes_per_clk]}
`;

/** What another width of the L2 cache does to a network. */
function compared(program, folder) {
  const before = ['run', '--network', 'resnet18', '--batch', '8', '--arch', 'a100', '--schemes', 'dense,sdgp,asp', '--format', 'json'];
  writeFileSync(join(folder, 'before.json'), execFileSync(program, before, {maxBuffer: 1 << 28}));
  const now = ['compare', join(folder, 'before.json'), '--set', 'machines.0.accelerator.l2_cache.read_bytes_per_clk=2560', '--format', 'json'];
  return spawnSync(program, now, {encoding: 'utf8', maxBuffer: 1 << 28}).stdout;   // exits with 1, as something moved
}

const measured = `source,gpu,dtype,M,N,K,layout,dense_value,sparse_value,unit,speedup,pattern,timing,use,stack,note
test,A100,fp16,512,512,512,TN,10,8,us,,2:4,,shown,,
test,A100,fp16,1024,1024,512,TN,15,12,us,,2:4,,shown,,
`;

/** Files of every kind of document in `folder`, the study with a layer of an evil name. */
export function writeDocuments(program, folder) {
  const stcsim = (...options) => execFileSync(program, [...options, '--format', 'json'], {maxBuffer: 1 << 28, encoding: 'utf8'});
  const file = (name, text) => {
    writeFileSync(join(folder, name), text);
    return name;
  };
  const parsed = JSON.parse(stcsim(...study));
  writeFileSync(join(folder, 'runs.csv'), 'epoch,acc\n1,50\n2,80\n3,90\n');
  writeFileSync(join(folder, 'more.csv'), 'epoch,acc\n1,40\n2,91\n3,92\n');
  writeFileSync(join(folder, 'measured.csv'), measured);
  writeFileSync(join(folder, 'trainings.yaml'), experiment);
  writeFileSync(join(folder, 'space.yaml'), space);
  const results = ['--results', join(folder, 'space.sqlite')];
  execFileSync(program, ['sweep', 'run', join(folder, 'space.yaml'), ...results], {stdio: 'ignore'});
  return {
    study: parsed,
    files: [
      file('study.json', JSON.stringify(parsed).replaceAll('"enc.ff1"', JSON.stringify(evil))),
      file('tta.json', JSON.stringify(tta)),
      file('trainings.json', stcsim('tta', join(folder, 'trainings.yaml'))),
      file('sweep.json', stcsim('sweep', 'export', join(folder, 'space.yaml'), ...results)),
      file('gemm.json', stcsim('gemm', ...gemm)),
      file('explain.json', stcsim('explain', ...gemm)),
      file('curves.json', stcsim('tta', '--curves-only', join(folder, 'runs.csv'), join(folder, 'more.csv'), '--target', '90')),
      file('validation.json', stcsim('evidence', 'rows', join(folder, 'measured.csv'))),
      file('paper.json', JSON.stringify(samplePaper(evil))),
      file('layers.json', stcsim('list', 'layers', 'bert_base_s128')),
    ],
    /** Those whose pages stand alone. */
    more: [
      file('energy.json', stcsim('gemm', '--energy', ...gemm)),
      file('area.json', stcsim('list', 'machine', 'a100')),
      file('design.json', stcsim('design', join(folder, file('grows.yaml', grows)), '--results', join(folder, 'grows.sqlite'), '--at-least', '1.4')),
      file('compare.json', compared(program, folder)),
      file('networks.json', stcsim('run', join(folder, file('networks.yaml', networks)))),
    ],
  };
}

/** A study of `count` rows: those of a small one again and again, with other names and figures. */
export function largeStudy(small, count) {
  let state = 1;
  const random = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
  const vary = (value) => (typeof value === 'number' ? Math.round(value * (0.5 + random())) : value);
  const varied = (object) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, vary(value)]));
  const results = Array.from({length: count}, (_, i) => {
    const row = small.results[i % small.results.length];
    const buckets = Object.fromEntries(Object.entries(row.buckets).map(([unit, one]) => [unit, {...varied(one), instances: one.instances}]));
    const [cycles, dense] = [vary(row.cycles), vary(row.dense_cycles)];
    return {...row, layer: `${row.layer}.${Math.floor(i / small.results.length)}`, cycles, dense_cycles: dense,
            time_us: cycles / 1410, dense_time_us: dense / 1410, speedup: dense / Math.max(1, cycles), traffic: varied(row.traffic), utilization: random(), buckets};
  });
  return {...small, results};
}
