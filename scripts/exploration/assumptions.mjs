// What the recommended machine would be worth if an assumed number were half or twice what it is.

import {geometricMean, groupBy} from './sweeps.mjs';

const sm = 'accelerator.sm.';
/** Numbers of the machine files that nobody has measured or published for such a machine. */
export const assumed = [
  {key: 'accelerator.cta_scheduler.launch_cycles', value: 2820, about: 'gap between kernels'},
  {key: 'accelerator.cta_scheduler.cta_setup_cycles', value: 200, about: 'set-up of a CTA'},
  {key: `${sm}shared_memory.barrier_cycles`, value: 32, about: 'barrier'},
  {key: `${sm}epilogue.setup_cycles`, value: 500, about: 'set-up of the epilogue'},
  {key: `${sm}epilogue.elements_per_clk`, value: 26, about: 'pace of the epilogue'},
  {key: `${sm}operand_selector.metadata_decode_cycles`, value: 6, about: 'decoding of metadata'},
  {key: 'accelerator.memory_bus.sm_write_bytes_per_clk', value: 64, about: 'bus, writing'},
  {key: 'accelerator.l2_cache.write_bytes_per_clk', value: 3840, about: 'L2 cache, writing'},
  {key: 'accelerator.dram.write_queue_bytes', value: 10485760, about: 'write queue'},
  {key: 'power.idle_watts', value: 80, about: 'idle power'},
  {key: 'power.dram_pj_per_byte', value: 40, about: 'energy of DRAM'},
  {key: 'power.register_pj_per_byte', value: 0.257, about: 'energy of the register file'},
  {key: 'power.accumulator_pj_per_byte', value: 0.994, about: 'energy of accumulators'},
  {key: 'power.metadata_pj_per_byte', value: 0.19, about: 'energy of metadata'},
  {key: 'power.selector_mux_pj', value: 0.00154, about: 'energy of the selector'},
  {key: 'power.l2_pj_per_byte', value: 9.41, about: 'energy of the L2 cache'},
  {key: 'power.voltage_floor', value: 0.5, about: 'lowest voltage'},
];
const factors = [0.5, 2];

/** A space of one machine as it is, and with each number halved and doubled by itself. @param machine,gemms in YAML's flow style */
export function assumptionSpace(machine, gemms, patterns) {
  const number = (value) => (Number.isInteger(value) ? Math.round(value) : Number(value.toPrecision(12)));
  const values = (one) => [one.value, ...assumed.flatMap((other) => factors.map((factor) => (other === one ? number(one.value * factor) : one.value)))];
  return `description: The recommended machine, each of its assumed numbers halved and doubled
machines: [${machine}]
gemms: ${gemms}
axes:
  gemm.pattern: ${JSON.stringify(patterns)}
${assumed.map((one) => `  machine.${one.key}: [${values(one).join(', ')}]`).join('\n')}
zip: [${assumed.map(({key}) => `machine.${key}`).join(', ')}]
`;
}

/** Of each number: the figure with half and with twice of it, over the figure as it is. Largest effect first. */
export function effects(rows, figureOf) {
  const axis = ({key}) => `machine.${key}`;
  const total = (own) => geometricMean(own.map(figureOf));
  const machines = [...groupBy(rows, (row) => JSON.stringify(assumed.map((one) => row[axis(one)]))).values()];
  const base = total(machines.find((own) => assumed.every((one) => own[0][axis(one)] === one.value)));
  const changed = (one, factor) => total(machines.find((own) => Math.abs(own[0][axis(one)] / (one.value * factor) - 1) < 1e-9)) / base;
  return assumed.map((one) => ({name: one.about, low: changed(one, factors[0]), high: changed(one, factors[1])}))
    .sort((a, b) => Math.abs(Math.log(b.high / b.low)) - Math.abs(Math.log(a.high / a.low)));
}
