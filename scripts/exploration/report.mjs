// node report.mjs FOLDER PACKAGES RESULTS: writes exploration.md and its pictures from what scripts/explore.sh simulated.

import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {assumed, effects} from './assumptions.mjs';
import {goalTable, orderTable} from './design.mjs';
import {costTable, goal, machinesOf, selectorTable, widthsTable} from './gemms.mjs';
import {change, percent, table, times} from './markdown.mjs';
import {areaOption, assumptionOption, plotter, stepOption} from './plots.mjs';
import {equalSteps, nearlyFastest, recommendedMachine, recommendedPattern} from './recommend.mjs';
import {geometricMean, grownText, limitOf, patterns, readSweep} from './sweeps.mjs';
import {meanSteps, stepTables, workOf} from './steps.mjs';

const [folder, packages, results] = process.argv.slice(2);
const file = (name) => join(folder, name);
const [steps, gemms, recommended, built, assumptions] = ['steps', 'gemms', 'recommended', 'built', 'assumptions'].map((name) => readSweep(file(`${name}.json`)));
const designs = patterns.map((pattern) => ({pattern, design: JSON.parse(readFileSync(file(`design_${pattern.replace(':', '_')}.json`), 'utf8'))}));

const machines = machinesOf(gemms);
const smallest = machines.reduce((least, one) => (one.area < least.area ? one : least));
const base = smallest.area;
const pattern = recommendedPattern(steps);
const chosen = recommendedMachine(gemms, pattern);
const most = machines.filter((one) => one.pattern === pattern).reduce((best, one) => (one.speedup > best.speedup ? one : best));
const ofAssumptions = (which) => assumptions.filter((row) => row['gemm.pattern'] === which);
const speedups = effects(ofAssumptions(pattern), (row) => row.speedup);
const energies = effects(ofAssumptions(pattern), (row) => row.joules / row.dense_joules);
const wide = effects(ofAssumptions('1:8'), (row) => row.speedup);

const onIt = (rows, like, which) => rows.find((row) =>
  row.network === like.network && row.scheme === like.scheme && row.framework === like.framework && row['scheme.pattern'] === which);
const lines = recommended.filter((row) => row['scheme.pattern'] === pattern).map((row) => {
  const of = (which) => onIt(recommended, row, which);
  return [workOf(row), row.framework, times(row.dgrad_speedup), times(row.speedup), times(of('2:4').speedup), times(onIt(built, row, '2:4').speedup), times(of('1:8').speedup),
          row.joules === null ? '-' : times(row.joules / row.dense_joules)];
});
const ofLevel = (name) => meanSteps(steps).find(({level}) => level.name === name).patterns.find((one) => one.pattern === pattern).speedup;
const stepOn = (which) => geometricMean(recommended.filter((row) => row['scheme.pattern'] === which).map((row) => row.speedup));

const assumptionTable = table([{title: 'assumed number'}, {title: 'in the machine file'}, {title: 'speedup, half', right: true}, {title: 'twice', right: true},
  {title: 'energy, half', right: true}, {title: 'twice', right: true}, {title: `1:8 over ${pattern}, half`, right: true}, {title: 'twice', right: true}],
speedups.map((one) => {
  const named = (list) => list.find(({name}) => name === one.name);
  const {key, value} = assumed.find(({about}) => about === one.name);
  return [one.name, `\`${key.split('.').slice(-2).join('.')}\` ${value}`, change(one.low - 1), change(one.high - 1), change(named(energies).low - 1), change(named(energies).high - 1),
          change(named(wide).low / one.low - 1), change(named(wide).high / one.high - 1)];
}));

const meanTable = table([{title: 'widths'}, {title: 'area', right: true}, ...patterns.map((title) => ({title, right: true}))],
  meanSteps(steps).map(({level, patterns: list}) => [level.name, times(list[0].area / base), ...list.map((one) => times(one.speedup))]));
const {dgrad, steps: ofFrameworks} = stepTables(steps);
const most8 = Math.max(...machines.filter((one) => one.pattern === '1:8').map((one) => one.speedup));
const largest = Math.max(...speedups.flatMap(({low, high}) => [Math.abs(low - 1), Math.abs(high - 1)]));

// What is sold: patterns of AWS Trainium2, as its machine file has them for types of 16 bits.
const sold = readFileSync('configs/arch/trainium2_nm.yaml', 'utf8').match(/ native_patterns: \[([^\]]*)\]/)[1].replaceAll('"', '').split(', ');
const soldLimit = Math.max(...sold.map(limitOf));

const text = `# Hardware that does not exist: which tensor core is worth building?

Made by \`make explore\` (scripts/explore.sh): ${gemms.length} points of machine × GEMM (\`exploration_gemms\`), ${steps.length + recommended.length + built.length} of
machine × training step (\`exploration_steps\` and the recommended machine), ${patterns.length} questions to \`stcsim design\`, and ${assumptions.length} points with
assumed numbers halved and doubled. All machines are A100s whose sparse tensor cores know one pattern more, with selectors as
narrow as that pattern allows, and wider ways of operand B ([docs/machine.md](../docs/machine.md)). Speedups are over dense on
the same machine, both sides with the best of all kernels, also on the A100 itself; areas are of the whole chip by \`ga100_7nm\` ([docs/hardware.md](../docs/hardware.md#energy-and-area)), the A100 with an 8-to-1 selector
being 1. Nothing here was measured on such hardware: nobody has it. \`out/explore/exploration.html\` shows all points.

## The recommendation

It knows no loss of accuracy: [patterns_to_build.md](patterns_to_build.md) weighs that as well, and recommends for all pages.

**Build ${pattern}, with ${grownText(chosen.factors)}.** It costs ${change(chosen.area / base - 1)} of the chip's area and runs the backward GEMMs below
${times(chosen.speedup)} as fast as dense (${percent(chosen.speedup / limitOf(pattern))} of m/n; on the largest machine of the space ${times(most.speedup)}, for ${change(most.area / base - 1)} area), at
${times(chosen.energy)} of dense's energy. A training step gains ${change(stepOn(pattern) - 1)} in the mean of three networks and two frameworks, with 2:4 on
the same machine ${change(stepOn('2:4') - 1)}, with 1:8 ${change(stepOn('1:8') - 1)}: keeping one value of eight makes a step ${change(stepOn('1:8') / stepOn(pattern) - 1)} faster than ${pattern} does.

How it was chosen: of the patterns under which a step is within ${percent(1 - equalSteps)} of the fastest at every width, the one that keeps most values;
then the smallest machine that keeps ${percent(nearlyFastest)} of the fastest one's speedup on the GEMMs.

${table([{title: 'network, scheme'}, {title: 'framework'}, {title: `dgrad, ${pattern}`, right: true}, {title: `step, ${pattern}`, right: true}, {title: 'step, 2:4', right: true}, {title: 'on the A100, 2:4', right: true}, {title: 'step, 1:8', right: true}, {title: `energy of a step, ${pattern}`, right: true}], lines)}

What speaks against it: twice the DRAM bandwidth raises the mean speedup of steps under ${pattern} from ${times(ofLevel('×4'))} to ${times(ofLevel('×4, DRAM ×2'))}, which no width
on the chip does; who can have it should have it first. Who runs nothing but large GEMMs gets up to ${times(most8)} on them from 1:8. And accuracy is not in these
figures: [study.md](study.md) has small networks trained with some of these patterns.

**Beside what is sold**: AWS publishes ${sold.join(', ')} for Trainium2 (\`trainium2_nm\`), ${pattern} ${sold.includes(pattern) ? 'among them' : 'not among them'}, and a peak of ${soldLimit} times dense for types
of 16 bits, twice for fp8: it stops at m/n = ${soldLimit}, ${soldLimit === limitOf(pattern) ? 'as the recommendation does' : `the recommendation at ${limitOf(pattern)}`}, and has no 1:8. No sparse GEMM on it was published: how much of that peak
its memory system feeds, which is what decides here, is not known.

### Every assumed number behind it

The recommended machine's speedup on the GEMMs, and its energy over dense's, if a number that nobody has measured were half or twice
what it is; and how far 1:8 would gain on ${pattern} by it. The largest effect on the speedup is ${(100 * largest).toFixed(1)} %.

${assumptionTable}

![effects of assumed numbers](exploration_assumptions.svg)

Power matters where the board's limit lowers the clock, of dense GEMMs first. Areas come from one die and one table; were all that has grown
five times as large, it would be ${change(5 * (chosen.area / base - 1))} of the chip. With selectors by gates (below), ordered as these machines' patterns allow it, it costs
${change(chosen.least / smallest.least - 1)} to ${change(chosen.most / smallest.most - 1)} of the chip's area.

### Its selector in gates

Transistors of the selector for each multiplier, as synthesised for generic CMOS from what \`stcsim\` writes for each pattern (\`make rtl\`, two
codings and two flows, fewest to most). Ordered lanes let slot i of n kept values choose among places i to i + m − n; a machine may have them for
the smallest n of each m.

${selectorTable(readFileSync('configs/costs/selector_gates.csv', 'utf8'))}

## Speedup of dgrad

SDGP prunes the output gradients, transposable masks the weights. Widths: selector, register file, shared memory, fill, bus, and L2 cache together.
Under ${ofFrameworks[0].framework}; the framework matters to the clock alone.

${dgrad}

## Speedup of a step

${ofFrameworks.map(({framework, table: one}) => `Under \`${framework}\`:\n\n${one}`).join('\n\n')}

In the geometric mean of all of them:

${meanTable}

![speedups of steps](exploration_steps.svg)

## Which resource saturates first, second, third

\`stcsim design\` on BERT-Large's dgrad (\`one_of_eight\`, for each pattern with its own selector): the way up from 2:4's widths, each step raising what
gains most. It may also grow the SM's storage, the epilogue, and the metadata decoder.

${orderTable(designs)}

## The widths that restore ${percent(goal)} of m/n

The cheapest machine by area, of the same space, for all dgrad of BERT-Large:

${goalTable(designs)}

And for single GEMMs, when selector, shared memory, bus, L2 cache, and DRAM grow (\`exploration_gemms\`); where no machine gets there, how far the best
one does and what bounds it:

${widthsTable(gemms)}

## Area and energy per unit of speedup

Geometric means over the GEMMs above. Area / speedup: the part of the A100's area that a dense GEMM's throughput takes; energy is of the dense GEMM's on the same
machine, energy / speedup is energy times delay.

${costTable(machines, base)}

![area and speedup](exploration_area.svg)
`;

writeFileSync(join(results, 'exploration.md'), text.replaceAll(/[ \t]+$/gm, ''));
const plot = plotter(packages, results);
plot('exploration_area.svg', 900, 520, areaOption(machines, base));
plot('exploration_steps.svg', 1100, 520, stepOption(steps));
plot('exploration_assumptions.svg', 800, 460, assumptionOption(speedups, `times the speedup of ${pattern} as it is, the number halved and doubled`));
