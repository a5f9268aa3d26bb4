// node atlas.mjs PROGRAM FOLDER [JOBS]: every network under every scheme on every machine that exists, JOBS machines at once.
// Writes FOLDER/atlas.json (stcsim.atlas/1), which `stcsim page` draws, and FOLDER/atlas.svg. Each figure is `stcsim run`'s,
// which keeps what it simulates of a machine in FOLDER/cache/MACHINE. NETWORKS, MACHINES, SCHEMES and FRAMEWORKS (names with ',' between them) take some only.

import {execFile} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

import {waterfall} from '../../page/src/waterfall.js';
import {atlasPicture} from './picture.mjs';

const run = promisify(execFile);

export const realMachines = ['a100', 'a100_80gb', 'a100_pcie', 'l40s', 'h100_pcie', 'h100_sxm', 'h200', 'b200', 'rtx3090', 'rtx4090', 'rtx5080'];
/** That of the networks' files, and what PyTorch makes of a whole step. */
const frameworks = ['', 'pytorch_compiled'];
/** Networks that are there to be trained, not to be looked at. */
const small = /^(tiny_|byte_)/;

const families = [[/^(bert|transformer)/, 'encoders'], [/^(gpt|llama|mistral|opt)/, 'decoders'], [/^(deit|vit|sam)/, 'vision transformers'], [/./, 'convolutional']];
export const familyOf = (network) => families.find(([pattern]) => pattern.test(network))[1];

const listed = (name, all) => (process.env[name] ? process.env[name].split(',') : all);
const rounded = (value) => (typeof value === 'number' ? Number(value.toPrecision(6)) : null);

/** Numbers of texts, as they come. */
function numbering() {
  const names = [];
  return {names, of: (name) => (names.includes(name) ? names.indexOf(name) : names.push(name) - 1)};
}

const saved = (part) => part.dense_time_us - part.time_us;

/**
 * One scheme's figures of a study of one network on one machine. A gain is of two steps: it fits where the machine has the memory
 * for both. A fall is the waterfall's levels and losses: number of the name, speedup behind it, and so on.
 */
function cellOf(study, total) {
  const steps = study.totals.filter((one) => one === total || one.scheme === 'dense');
  const rows = study.results.filter((row) => row.scheme === total.scheme);
  const fall = (waterfall(rows, total.share_of_training) ?? []).flatMap((step) => [`${step.kind}:${step.name}`, Number(step.to.toFixed(4))]);
  return {
    network: total.network, machine: total.machine, framework: total.framework, scheme: total.scheme, speedup: rounded(total.training.speedup),
    low: rounded(total.speedup_interval.low), high: rounded(total.speedup_interval.high), verdict: total.verdict ?? '',
    free: rounded(total.step_without_work.speedup), best: rounded((total.beside ?? []).find(({stack}) => stack === 'best')?.speedup ?? total.training.speedup),
    time_us: rounded(total.training.time_us), dense_time_us: rounded(total.training.dense_time_us),
    memory_bytes: Math.max(...steps.map((one) => one.memory.total_bytes)), fits: steps.every((one) => one.memory.fits),
    optimizer: saved(total.step) > 0 ? rounded(saved(total.optimizer) / saved(total.step)) : 0, fall,
  };
}

/** @param ask (options) => a study's JSON; @param jobs machines asked about at once */
export async function atlasOf(ask, {networks, machines, schemes, frameworks: wanted, jobs = 1}) {
  let version = '';
  const asked = ['dense', ...schemes.filter((scheme) => scheme !== 'dense')];
  const cellsOf = async (machine) => {
    const cells = [];
    for (const network of networks) {
      for (const framework of wanted) {
        const study = await ask(['--network', network, '--arch', machine, '--schemes', asked.join(','), ...(framework ? ['--framework', framework] : [])]);
        ({version} = study);
        cells.push(...study.totals.filter((total) => total.scheme !== 'dense' && total.complete).map((total) => cellOf(study, total)));
      }
    }
    return cells;
  };
  const rest = [...machines.entries()];
  const ofMachines = [];
  const takeMachines = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) ofMachines[next[0]] = await cellsOf(next[1]);
  };
  await Promise.all(Array.from({length: jobs}, takeMachines));
  const names = numbering();
  const cells = ofMachines.flat().map((cell) => ({...cell, fall: cell.fall.map((one) => (typeof one === 'string' ? names.of(one) : one))}));
  return {schema: 'stcsim.atlas/1', version, config_hash: '',
          networks: networks.map((name) => ({name, family: familyOf(name)})), machines, names: names.names, cells};
}

async function main([program, folder, jobs = '1']) {
  mkdirSync(join(folder, 'cache'), {recursive: true});
  const names = async (kind) => JSON.parse((await run(program, ['list', kind, '--format', 'json'])).stdout).entries.map((one) => one.name);
  const ask = async (options) => {
    process.stderr.write(`\r${options[1]} on ${options[3]}${' '.repeat(20)}`);
    const {stdout} = await run(program, ['run', ...options, '--jobs', '1', '--cache', join(folder, 'cache', options[3]), '--format', 'json'], {maxBuffer: 1 << 30});
    return JSON.parse(stdout);
  };
  const networks = listed('NETWORKS', (await names('networks')).filter((name) => !small.test(name)));
  const atlas = await atlasOf(ask, {networks, machines: listed('MACHINES', realMachines),
                                  schemes: listed('SCHEMES', await names('schemes')), frameworks: listed('FRAMEWORKS', frameworks), jobs: Number(jobs)});
  writeFileSync(join(folder, 'atlas.json'), JSON.stringify(atlas));
  writeFileSync(join(folder, 'atlas.svg'), atlasPicture(atlas));
  process.stderr.write(`\r${atlas.cells.length} gains of steps in ${join(folder, 'atlas.json')}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
