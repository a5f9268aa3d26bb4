// node patterns_to_build.mjs spaces|stages|page FOLDER PAGE: what scripts/patterns_to_build.sh simulates, a machine a pattern;
// the recommended machine with registers in its selector; and the page made of both.

import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {change, percent, table, times} from './markdown.mjs';
import {equalSteps} from './recommend.mjs';
import {geometricMean, groupBy, limitOf, readSweep} from './sweeps.mjs';

const [task, folder, page] = process.argv.slice(2);
const patterns = ['1:4', '1:8', '2:4', '2:8', '4:8', '4:16', '8:32'];
const convolutional = ['resnet18', 'resnet34', 'resnet50', 'resnet101', 'regnetx_400mf'];
const transformers = ['deit_small', 'vit_base', 'bert_base_s128', 'bert_large_s128', 'gpt2_124m'];
const frameworks = ['pytorch_eager', 'pytorch_compiled', 'nvidia_tuned'];
const accepted = 0.5;   // points
const stages = [0, 1, 2, 4];
const stagesKey = 'accelerator.sm.operand_selector.selector_stages';

const flow = (value) => JSON.stringify(value);
const file = (name) => join(folder, name);
const nameOf = (pattern) => `machine_${pattern.replace(':', '_')}`;
const write = (name, text) => writeFileSync(file(name), `# Written by scripts/patterns_to_build.sh.\n${text}`);
const linesOf = (name) => readFileSync(name, 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));

/** How many times as wide as 2:4's the ways of B have to be to keep multipliers at work. */
const widthOf = (pattern) => limitOf(pattern) / 2;

/** An A100 that knows 2:4 and the pattern, with lanes as long as a group. */
function machineOf(pattern) {
  const wide = widthOf(pattern);
  return {
    extends: 'a100_nm8_naive', name: nameOf(pattern),
    accelerator: {
      sm: {
        operand_selector: {
          native_patterns: [...new Set(['2:4', pattern])], lane_inputs: Number(pattern.split(':')[1]), b_bytes_per_clk: 64 * wide,
        },
        operand_fetch: {register_bytes_per_clk: 128 + 64 * wide},
        shared_memory: {bank_bytes: 4 * wide, fill_bytes_per_clk: 64 * wide},
        copy_engine: {issue_bytes_per_clk: 128 * wide},
      },
      memory_bus: {sm_read_bytes_per_clk: 64 * wide},
      l2_cache: {read_bytes_per_clk: 3840 * wide},
    },
  };
}

function gemmSpace(name, machines, axes) {
  const gemms = linesOf('configs/spaces/exploration_gemms.yaml').filter((line) => /^ {2}- \{name: /.test(line)).join('\n');
  write(`${name}.yaml`, `machines: ${flow(machines)}
gemms:
${gemms}
${axes}
`);
}

function spaces() {
  for (const pattern of patterns) write(`${nameOf(pattern)}.yaml`, `${flow(machineOf(pattern))}\n`);
  write('steps.yaml', `machines: ${flow(patterns.map((pattern) => machineOf(pattern)))}
networks: ${flow([...convolutional, ...transformers])}
schemes: ${flow([...convolutional.map(() => 'sdgp'), ...transformers.map(() => 'mvue-transposable')])}
frameworks: ${flow(frameworks)}
axes: {scheme.pattern: ${flow(patterns)}}
zip: {network and scheme: [network, scheme], pattern: [machine, scheme.pattern]}
`);
  gemmSpace('gemms', patterns.map((pattern) => machineOf(pattern)), `axes: {gemm.pattern: ${flow(patterns)}}
zip: {pattern: [machine, gemm.pattern]}`);
}

/** What is known of a pattern without steps: area of the chip, transistors and levels of its selector, gain of GEMMs, losses. */
function rowsOfAll() {
  const gates = linesOf('configs/costs/selector_gates.csv').map((line) => line.split(','));
  const trained = linesOf('configs/papers/trained.csv').map((line) => line.split(',')).filter((row) => row[0] === 'images' && row[2] === '8');
  const own = (scheme) => trained.find((row) => row[1] === scheme)?.slice(4, 7).map((share) => 100 * share);
  const dense = own('dense');
  const muxPj = Number(/selector_mux_pj: ([0-9.]+)/.exec(readFileSync('configs/arch/a100.yaml', 'utf8'))[1]);
  const published = linesOf('configs/curves/final_values.csv').slice(1).map((line) => line.replaceAll(/"[^"]*"/g, '').split(','))
    .filter((row) => row[8] === 'top-1 %' && row[9] && row[10] && !row[1].includes('random')).map((row) => ({source: row[0], pattern: row[6], loss: row[9] - row[10]}));
  const gemms = readSweep(file('gemms.json'));
  return ['dense', ...patterns].map((pattern) => {
    const {area} = JSON.parse(readFileSync(file(`${nameOf(pattern === 'dense' ? '2:4' : pattern)}.json`), 'utf8'));
    const row = {pattern, area: area.machine_of_a100, loss: 0, error: 0, ownLoss: 0, ownError: 0};
    if (pattern === 'dense') {   // the A100 without its selector
      return {...row, area: row.area * (1 - area.sms * (area.tensor_core_um2 - area.dense_core_um2) / area.machine_um2)};
    }
    const [kept, group] = pattern.split(':').map(Number);
    const each = gates.filter((one) => one[0] === pattern && one[1] === 'ordered').map((one) => Math.round(one[4] / kept));
    const points = gemms.filter((one) => one['gemm.pattern'] === pattern);
    const [mean, low, high] = own(pattern === '2:4' ? 'sdgp' : `sdgp-${pattern}`) ?? [];
    const all = published.filter((one) => one.pattern === pattern).map(({loss}) => loss);
    return {...row, gates: `${Math.min(...each)} to ${Math.max(...each)}`, depth: area.selector_depth, width: widthOf(pattern),
            operandPj: (group - 1) * 16 * muxPj, gemms: geometricMean(points.map(({speedup}) => speedup)),
            energy: geometricMean(points.map((one) => one.joules / one.dense_joules)),
            loss: published.find((one) => one.source.includes('sdgp @') && one.pattern === pattern).loss,
            least: Math.min(...all), most: Math.max(...all), others: all.length,
            ownLoss: dense[0] - mean, ownError: Math.hypot((dense[2] - dense[1]) / 2, (high - low) / 2)};
  });
}

const steps = task === 'spaces' ? [] : readSweep(file('steps.json'));
const known = task === 'spaces' ? [] : rowsOfAll();
// One figure for all: what equal trainings differ by, and rounding, as pays.md says it.
const pays = readFileSync('results/pays.md', 'utf8');
const error = Number(/\| sdgp-2:8 \|[^|]*\| [0-9.]+ ± ([0-9.]+) \|/.exec(pays)[1]);
for (const row of known) row.error = row.pattern === 'dense' ? 0 : error;

const gainOf = (pattern, isMeant) => (pattern === 'dense' ? 1
  : geometricMean(steps.filter((row) => row['scheme.pattern'] === pattern && isMeant(row)).map(({speedup}) => speedup)));

/**
 * Of the patterns whose loss is surely no more than `most`, the one with the most speed of steps for the chip's area; of those with
 * the same m/n whose steps and GEMMs are equally fast, the one with the longest groups, which holds every tensor of the others.
 * @param growth how many times as large as assumed all is that a pattern adds to the A100; 0: area does not matter
 */
function answer({most = accepted, isMeant = () => true, growth = 1, lossOf = ({loss, error: of}) => loss + of} = {}) {
  const found = known.filter((row) => lossOf(row) <= most + 1e-9).map((row) => ({...row, gain: gainOf(row.pattern, isMeant)}));
  const worth = ({gain, area}) => gain / (1 + growth * (area - 1));
  const best = found.reduce((one, other) => (worth(other) > worth(one) ? other : one));
  if (best.pattern === 'dense') return best;
  const isEqual = (row) => row.pattern !== 'dense' && limitOf(row.pattern) === limitOf(best.pattern)
    && row.gain >= equalSteps * best.gain && row.gemms >= equalSteps * best.gemms;
  const equals = found.filter(isEqual).sort((a, b) => b.pattern.split(':')[1] - a.pattern.split(':')[1]);
  return {...equals[0], equals: equals.slice(1)};
}

const resultText = ({pattern, gain, area}) => `${pattern} | ${times(gain)} | ${change(area - 1)}`;

function changesTable() {
  const isConvolutional = ({network}) => convolutional.includes(network);
  const kinds = [['convolutional networks', isConvolutional], ['Transformers', (row) => !isConvolutional(row)]];
  const of = (title, question) => `| ${title} | ${resultText(answer(question))} |`;
  return ['| what is asked | pattern | mean step | area |', '|---|---|---:|---:|',
          of('**as recommended**', {}),
          ...[0.1, 0.3, 1].map((most) => of(`a loss of at most ${most} point${most === 1 ? '' : 's'}`, {most})),
          of('whatever it loses', {most: Infinity}),
          ...frameworks.map((one) => of(`\`${one}\` alone`, {isMeant: (row) => row.framework === one})),
          ...kinds.map(([kind, isMeant]) => of(`${kind} alone`, {isMeant})),
          ...frameworks.flatMap((one) => kinds.map(([kind, isMeant]) =>
            of(`${kind} under \`${one}\``, {isMeant: (row) => row.framework === one && isMeant(row)}))),
          of('the fastest, whatever its area', {growth: 0}),
          of('what is added five times as large as assumed', {growth: 5}),
          of('the most that any publication lost with the pattern', {lossOf: ({most: worst = 0}) => worst}),
          of('losses of own small trainings on images', {lossOf: ({ownLoss, ownError}) => ownLoss + ownError})].join('\n');
}

/** Answers when one network is left out. */
function withoutOne() {
  const found = groupBy([...convolutional, ...transformers], (name) => answer({isMeant: ({network}) => network !== name}).pattern);
  return [...found].map(([pattern, names]) => `${pattern}${found.size > 1 ? ` without ${names.join(', ')}` : ''}`).join('; ');
}

function patternTable() {
  const hours = (pattern) => {
    const row = steps.find((one) => one.network === 'resnet50' && one.framework === 'nvidia_tuned' && one['scheme.pattern'] === (pattern === 'dense' ? '2:4' : pattern));
    return (88 * 1_281_167 / 256 * (pattern === 'dense' ? row.dense_time_us : row.time_us) / 3.6e9).toFixed(1);
  };
  const right = (title) => ({title, right: true});
  return table([{title: 'pattern'}, ...['widths', 'transistors', 'levels', 'stages', 'area', 'pJ an operand', 'GEMMs', 'their energy', 'steps', 'loss, points', 'published', 'own', 'hours'].map(right)],
    known.map((row) => (row.pattern === 'dense'
      ? ['dense', '', '', '', '', row.area.toFixed(3), '', '1.00×', '1.00×', '1.00×', '0', '', '0', hours('dense')]
      : [row.pattern, `×${row.width}`, row.gates, row.depth.levels, row.depth.stages_needed, row.area.toFixed(3), row.operandPj.toFixed(3), times(row.gemms), times(row.energy),
         times(gainOf(row.pattern, () => true)), `${row.loss.toFixed(1)} ± ${row.error}`, `${row.least.toFixed(1)} to ${row.most.toFixed(1)} (${row.others})`,
         `${row.ownLoss.toFixed(1)} ± ${row.ownError.toFixed(1)}`, hours(row.pattern)])));
}

function networkTable() {
  const shown = patterns.map((pattern) => ({title: pattern, right: true}));
  return table([{title: 'network, scheme'}, {title: 'framework'}, ...shown],
    [...groupBy(steps, (row) => `${row.network}, ${row.scheme}|${row.framework}`)].map(([name, rows]) =>
      [...name.split('|'), ...patterns.map((pattern) => times(rows.find((row) => row['scheme.pattern'] === pattern).speedup))]));
}

function stagesText() {
  const byStages = groupBy(readSweep(file('stages.json')), (row) => row[`machine.${stagesKey}`]);
  const mean = (rows) => geometricMean(rows.map(({speedup}) => speedup));
  const [none, ...more] = [...byStages.values()];
  const joules = (rows) => geometricMean(rows.map((row) => row.joules));
  return more.map((rows, at) => `with ${stages[at + 1]}\nthe GEMMs' gain changes by ${change(mean(rows) / mean(none) - 1)}, their energy by ${change(joules(rows) / joules(none) - 1)}, ` +
    `the chip's area by ${change(rows[0].area_mm2 / none[0].area_mm2 - 1)}`).join('; ');
}

const numberIn = (name, form) => Number(form.exec(readFileSync(name, 'utf8'))[1]);

function text() {
  const best = answer();
  const tighter = answer({most: 0.3});
  const worst = answer({lossOf: ({most: found = 0}) => found});
  const own = answer({lossOf: ({ownLoss, ownError}) => ownLoss + ownError});
  const equals = best.equals.map(({pattern, gates}) => `${pattern}, whose selector takes ${gates} transistors a multiplier`).join(', or ');
  const eager = answer({isMeant: ({network, framework}) => framework === 'pytorch_eager' && convolutional.includes(network)});
  const psOfLevel = numberIn('configs/costs/ga100_7nm.yaml', /ps_per_level: ([0-9.]+)/);
  const overhead = numberIn('configs/costs/ga100_7nm.yaml', /register_ps: ([0-9.]+)/) / psOfLevel;
  const clock = numberIn('configs/arch/a100.yaml', /^clock_mhz: ([0-9.]+)/m);
  const slowest = (row) => Math.floor(1e6 / clock / (row.depth.levels + overhead));
  const deepest = known.filter(({depth}) => depth).reduce((one, other) => (other.depth.levels > one.depth.levels ? other : one));
  const decoder = linesOf('configs/costs/selector_levels.csv').map((line) => line.split(','))
    .find((row) => row[0] === deepest.pattern && row[1] === 'bitmask');
  return `# Which pattern to build

**Build ${best.pattern}, with ways of operand B ${best.width} times as wide as 2:4's.** Training steps are ${times(best.gain)} as fast as dense in the mean of ten
networks and three frameworks, pruning charged, for ${change(best.area - 1)} of the chip's area. It is published to lose ${best.loss.toFixed(1)} ± ${best.error} points, at most
half a point. **What would change it**: who accepts 0.3 points builds ${tighter.pattern}. Who trains convolutional networks under eager PyTorch
alone builds ${eager.pattern} (${times(eager.gain)} for ${change(eager.area - 1)}). Counted by the worst of its ${best.others} published trainings (${best.most.toFixed(1)} points) it is out, and ${worst.pattern} is
the answer, of which ${worst.others === 1 ? 'one training is' : `${worst.others} trainings are`} published; by our own small trainings it is ${own.pattern}. With one network of the
ten left out, the answer is ${withoutOne()}.${equals ? ` As fast within ${percent(1 - equalSteps)} is ${equals}, not ${best.gates}.` : ''}

Made by \`make patterns_to_build\` (scripts/patterns_to_build.sh): ${steps.length} training steps and ${readSweep(file('gemms.json')).length} GEMMs, simulated. All machines are A100s
at ${clock} MHz, and nobody has built one. [pays.md](pays.md), [exploration.md](exploration.md) and [selection.md](selection.md) ask parts
of the question.

## One table

${patternTable()}

- *widths*: selector, registers' port, shared memory, fills, bus and L2 cache over 2:4's, (m/n) / 2, which keeps multipliers at work.
- *transistors* of the selector for each multiplier with ordered lanes, fewest to most of two codings and two flows
  (\`selector_gates.csv\`); *levels*: its depth in gates of a unit-delay library (\`selector_levels.csv\`); *stages*: registers that the
  clock needs in it.
- *area*: the chip's over the A100's, by \`ga100_7nm\`. *pJ an operand*: what \`power.selector_mux_pj\` makes of a crossbar's multiplexers.
- *GEMMs*, *their energy*: geometric means over seven backward GEMMs, of dense on the same machine.
- *steps*: ten networks under three frameworks with \`sdgp\` (convolutional) or \`mvue-transposable\`, geometric mean.
- *loss*: SDGP's published grid, ResNet-9 on CIFAR-10, with what rounding and equal trainings differ by. *published*: least and most of
  all published top-1 losses with that pattern, whatever is pruned but at random (how many). *own*: small trainings on images, five seeds.
- *hours*: 88 epochs of ResNet-50 on ImageNet, batch 256, one GPU, \`nvidia_tuned\`, \`sdgp\`.

The rule: of the patterns whose loss and its uncertainty are within what is accepted, the one with the most mean speed for area. Of those
with the same m/n whose steps and GEMMs are slower by no more than ${percent(1 - equalSteps)}, the one with the longest groups: they hold every tensor of
shorter ones. Losses are known for one small network and one method. That is the weakest figure of
the table, and no answer is more certain.

## How the answer moves

${changesTable()}

## Does the multiplexer fit the clock?

Yes, with room: a cycle of ${clock} MHz lets ${best.depth.levels_a_cycle} levels pass where a level takes ${psOfLevel} ps (ASSUMED, \`logic\` of \`ga100_7nm\`) and the register
${overhead} levels (Hrishikesh et al., ISCA 2002). ${deepest.pattern}, the deepest, has ${deepest.depth.levels}. It needs a register where a level takes more than
${slowest(deepest)} ps, ${best.pattern} above ${slowest(best)} ps. Wires and fan-out count in a level's time alone, and a selector that shares its cycle with another unit
has less. Decoders are another matter: a bit mask of ${deepest.pattern}, read place after place, is ${decoder[4]} levels deep. Index metadata take none.

Should registers be needed all the same (\`operand_selector.selector_stages\`): on ${best.pattern}'s machine ${stagesText()}.

## Every network

${networkTable()}
`;
}

const tasks = {
  spaces,
  stages: () => gemmSpace('stages', [machineOf(answer().pattern)],
    `axes: {gemm.pattern: [${flow(answer().pattern)}], machine.${stagesKey}: ${flow(stages)}}`),
  page: () => writeFileSync(page, text()),
};
tasks[task]();
