// node plan.mjs designs FOLDER: writes a space for `stcsim design` per pattern.
// node plan.mjs recommended FOLDER: reads what the sweeps found, and writes what is to be simulated of the recommended
// machine: steps, also of the A100 that is built, and GEMMs with each assumed number halved and doubled.

import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {assumptionSpace} from './assumptions.mjs';
import {machineOf, naiveMachine} from './machine_yaml.mjs';
import {recommendedMachine, recommendedPattern} from './recommend.mjs';
import {patterns, readSweep} from './sweeps.mjs';

const [task, folder] = process.argv.slice(2);
const flow = (value) => JSON.stringify(value);
const write = (name, text) => writeFileSync(join(folder, name), `# Written by scripts/explore.sh.\n${text}`);

function designs() {
  for (const pattern of patterns) {
    write(`design_${pattern.replace(':', '_')}.yaml`, `extends: one_of_eight
description: What has to grow around a ${pattern} tensor core, dgrad of BERT-Large
machines: [${flow(naiveMachine(pattern))}]
axes: {gemm.pattern: ["${pattern}"]}
`);
  }
}

function recommended() {
  const steps = readSweep(join(folder, 'steps.json'));
  const pattern = recommendedPattern(steps);
  const gemms = readSweep(join(folder, 'gemms.json'));
  const point = recommendedMachine(gemms, pattern).rows[0];
  const both = [...new Set(['2:4', pattern, '1:8'])];
  const machine = machineOf(point, 'recommended', both);
  const {config} = JSON.parse(readFileSync(join(folder, 'gemms.json'), 'utf8'));
  write('assumptions.yaml', assumptionSpace(flow(machine), flow(config.gemms), [...new Set([pattern, '1:8'])]));
  const {config: of_steps} = JSON.parse(readFileSync(join(folder, 'steps.json'), 'utf8'));
  const steps_of = (patterns) => `networks: ${flow(of_steps.networks)}
schemes: ${flow(of_steps.schemes)}
frameworks: ${flow(of_steps.frameworks)}
axes: {scheme.pattern: ${flow(patterns)}}
zip: [network, scheme]
`;
  write('recommended.yaml', `description: Steps on the recommended machine
machines: [${flow(machine)}]
${steps_of(both)}`);
  write('built.yaml', `description: Steps on the A100, which chooses from all kernels as hypothetical machines do
machines: [a100]
stack: best
${steps_of(['2:4'])}`);
}

const tasks = {designs, recommended};
tasks[task]();
