// What the live page simulates: a GEMM or a network's layer, its pattern or scheme, a machine and what is changed of it. As the
// fields of an address, as words of the command line, and as YAML.

export const types = ['fp16', 'bf16', 'tf32', 'int8', 'int4', 'fp8_e4m3', 'fp8_e5m2', 'nvfp4'];
export const patterns = ['dense', '2:4', '1:2', '1:4', '1:8', '2:8', '4:8', '4:16', '4:32'];

const widths = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4];
const sizes = [0.125, 0.25, 0.5, 1, 2, 4, 8];
const clocks = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5];
const counts = [0.125, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2];
/** Sliders: what, unit, key of a machine's file, and the multiples of the machine's own value. */
export const sliders = [
  ['SMs', '', 'accelerator.num_sms', counts],
  ['clock', 'MHz', 'clock_mhz', clocks],
  ['L2 cache', 'MiB', 'accelerator.l2_cache.capacity_bytes', sizes],
  ['DRAM', 'B/clk', 'accelerator.dram.bytes_per_clk', widths],
  ['L2 cache, reads', 'B/clk', 'accelerator.l2_cache.read_bytes_per_clk', widths],
  ['bus to an SM', 'B/clk', 'accelerator.memory_bus.sm_read_bytes_per_clk', widths],
  ['copies into shared memory', 'B/clk', 'accelerator.sm.shared_memory.fill_bytes_per_clk', widths],
  ['shared memory, a bank', 'B/clk', 'accelerator.sm.shared_memory.bank_bytes', widths],
  ['register file, reads', 'B/clk', 'accelerator.sm.operand_fetch.register_bytes_per_clk', widths],
  ['operand selector, B', 'B/clk', 'accelerator.sm.operand_selector.b_bytes_per_clk', widths],
].map(([name, unit, key, multiples]) => ({name, unit, key, multiples}));

const changeable = new Set(sliders.map(({key}) => key));
const at = (machine, key) => key.split('.').reduce((inner, part) => inner?.[part], machine);

/** Copies into shared memory are no wider than its banks together. */
function fits(key, value, {banks, bank_bytes: bankBytes, fill_bytes_per_clk: fill} = {}) {
  if (key.endsWith('.fill_bytes_per_clk')) return !(value > banks * bankBytes);
  return !key.endsWith('.bank_bytes') || !(fill > banks * value);
}

/** The values that a slider can take of a machine as it is resolved: [{value, multiple}]; none where it has no such limit. */
export function stopsOf({key, multiples}, machine) {
  const own = at(machine, key);
  if (typeof own !== 'number' || !(own > 0)) return [];
  const stops = multiples.map((multiple) => ({value: multiple === 1 ? own : Math.round(own * multiple), multiple}));
  return stops.filter(({value, multiple}, i) => value > 0 && fits(key, value, machine.accelerator?.sm?.shared_memory) && (multiple === 1 || (value !== own && value !== stops[i - 1]?.value)));
}

/** Value and unit in words, and how much that is of the machine's own. */
export function stopText({unit}, {value, multiple}) {
  const size = unit === 'MiB' ? value / 2 ** 20 : value;
  const text = `${Number(size.toPrecision(4))}${unit && ` ${unit}`}`;
  return multiple === 1 ? text : `${text} (${Number(multiple.toPrecision(3))}×)`;
}

/** @param fields of a form or of an address, [[name, value]] */
export function experimentOf(fields) {
  const given = Object.fromEntries(fields);
  const of = (names) => Object.fromEntries(names.filter((name) => given[name]).map((name) => [name, given[name]]));
  const work = given.network ? of(['network', 'layer', 'phase', 'part', 'scheme']) : of(['m', 'n', 'k', 'sparsity']);
  const changes = Object.entries(given).filter(([key, value]) => changeable.has(key) && value !== '');
  return {...of(['arch']), ...work, ...of(['dtype']), ...Object.fromEntries(changes)};
}

export const changesOf = (experiment) => Object.entries(experiment).filter(([key]) => changeable.has(key));
export const queryOf = (experiment) => String(new URLSearchParams(experiment));

/** Words of the command line behind `stcsim gemm` or `stcsim explain`. */
export function wordsOf(experiment) {
  const work = experiment.network
    ? ['--layer', `${experiment.network}:${experiment.layer}`, ...['phase', 'part', 'scheme'].flatMap((name) => (experiment[name] ? [`--${name}`, experiment[name]] : []))]
    : ['m', 'n', 'k', 'sparsity'].flatMap((name) => (experiment[name] ? [`--${name}`, experiment[name]] : []));
  return ['--arch', experiment.arch, ...work, '--dtype', experiment.dtype ?? 'fp16', ...changesOf(experiment).flatMap(([key, value]) => ['--set', `${key}=${value}`])];
}

const quoted = (word) => (/^[\w.:=/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
export const commandOf = (experiment, command = 'gemm') => ['stcsim', command, ...wordsOf(experiment)].map(quoted).join(' ');

/** The lines of a map of dotted keys. */
function lines(entries, indent) {
  const groups = entries.reduce((all, one) => all.set(one[0][0], [...(all.get(one[0][0]) ?? []), one]), new Map());
  return [...groups].flatMap(([first, inner]) => (inner[0][0].length === 1 ? [`${indent}${first}: ${inner[0][1]}`]
    : [`${indent}${first}:`, ...lines(inner.map(([[, ...rest], value]) => [rest, value]), `${indent}  `)]));
}

const text = (value) => JSON.stringify(String(value));

/** A space of one point, for `stcsim sweep run`; of a layer, an experiment with all of its network, for `stcsim run`. */
export function yamlOf(experiment) {
  const changes = changesOf(experiment);
  const machine = changes.length === 0 ? [`machines: [${experiment.arch}]`]
    : ['machines:', '  - name: changed', `    extends: ${experiment.arch}`, ...lines(changes.map(([key, value]) => [key.split('.'), value]), '    ')];
  const {m, n, k, sparsity, dtype = 'fp16', network, phase = 'forward', scheme} = experiment;
  const work = network ? [`networks: [${network}]`, `phases: [${phase}]`, `schemes: [${['dense', scheme].filter((name, i) => name && (i === 0 || name !== 'dense')).join(', ')}]`]
    : [`gemms: [{m: ${m}, n: ${n}, k: ${k}, pattern: ${text(sparsity ?? 'dense')}}]`];
  return [`# ${network ? `stcsim run FILE simulates the network; its layer alone: ${commandOf(experiment)}` : 'stcsim sweep run FILE --each'}`,
          ...machine, ...work, `dtype: ${dtype}`, ''].join('\n');
}
