// What one launch moved between the units of its machine, and how long each was at work (stcsim.gemm/1).

import {density} from './study.js';

const bitsOf = {fp16: 16, bf16: 16, tf32: 32, int8: 8, int4: 4, fp8_e4m3: 8, fp8_e5m2: 8, nvfp4: 4};

/** Bytes that an instruction "mma.sp.m16n8k32" takes of A, of B and of metadata: n·ceil(log2 m) bits for each group of an n:m. */
export function operandBytes(instruction, dtype, pattern) {
  const [m, n, k] = (/m(\d+)n(\d+)k(\d+)/.exec(instruction) ?? []).slice(1).map(Number);
  if (!(k > 0)) return null;
  const bytes = bitsOf[dtype] / 8;
  const [kept, group] = (/^(\d+):(\d+)/.exec(pattern) ?? []).slice(1).map(Number);
  return {a: m * k * bytes * density(pattern), b: k * n * bytes,
          metadata: group > 0 ? m * k / group * kept * Math.ceil(Math.log2(group)) / 8 : 0};
}

/** Share of its cycles that a unit was in one of these buckets. */
function shareOf(from, unit, names) {
  const {instances, ...buckets} = from.buckets[unit];
  return names.reduce((sum, name) => sum + (buckets[name] ?? 0), 0) / (instances * from.cycles);
}

/**
 * @param from the GEMM itself, or its dense baseline
 * @returns {units: [{name, busy}], ways: [{down: {bytes, peak}, up}]}: a way leads from a unit to the one after it; bytes per
 *   cycle, of the whole machine down to L2, of an SM to shared memory, of a sub-core from there; no peak: no limit
 */
export function machineOf(gemm, from = gemm) {
  const {accelerator, clock_mhz: clock} = gemm.config.machine;
  const {sm, l2_cache: l2, memory_bus: bus, dram} = accelerator;
  const ran = from === gemm ? gemm.hardware_pattern : 'dense';
  const {traffic} = from;
  const perCycle = (bytes, units = 1) => bytes / from.cycles / units;
  const operands = operandBytes(from.kernel.instruction, gemm.dtype, ran);
  const instructions = perCycle(from.mma_instructions, accelerator.num_sms * sm.sub_cores);
  const port = sm.shared_memory.banks * sm.shared_memory.bank_bytes;
  const dramPeak = dram.bytes_per_clk * clock / from.sustained_clock_mhz;
  const width = sm.operand_fetch?.register_bytes_per_clk;
  const way = (bytes, peak, of) => ({bytes, peak: peak > 0 && peak < 1e9 ? peak : null, of});
  const units = [
    {name: 'DRAM', busy: shareOf(from, 'dram', ['busy'])},
    {name: 'L2 cache', busy: shareOf(from, 'l2_cache_read', ['busy'])},
    {name: 'memory bus', busy: shareOf(from, 'memory_bus_read', ['busy'])},
    {name: 'shared memory', busy: shareOf(from, 'shared_memory', ['fill', 'fetch', 'staging'])},
    {name: 'register file', busy: shareOf(from, 'register_file', ['busy'])},
    ...(ran === 'dense' ? [] : [{name: 'operand selector', busy: shareOf(from, 'operand_selector', ['busy'])}]),
    {name: 'multipliers', busy: shareOf(from, 'multipliers', ['busy'])},
  ];
  const ways = [
    {down: way(perCycle(traffic.dram_read_bytes), dramPeak, 'machine'), up: way(perCycle(traffic.dram_write_bytes), dramPeak, 'machine')},
    {down: way(perCycle(traffic.l2_read_bytes), l2.read_bytes_per_clk, 'machine'), up: way(perCycle(traffic.l2_write_bytes), l2.write_bytes_per_clk, 'machine')},
    {down: way(shareOf(from, 'memory_bus_read', ['busy']) * bus.sm_read_bytes_per_clk, bus.sm_read_bytes_per_clk, 'SM'),
     up: way(shareOf(from, 'memory_bus_write', ['busy']) * bus.sm_write_bytes_per_clk, bus.sm_write_bytes_per_clk, 'SM')},
    {down: way(perCycle(traffic.shared_memory_read_bytes, accelerator.num_sms), port, 'SM'), up: null},
    operands && {down: way(instructions * (operands.a + operands.b + operands.metadata), width, 'sub-core'), up: null},
    ran !== 'dense' && operands && {down: way(instructions * operands.b, sm.operand_selector.b_bytes_per_clk, 'sub-core, of B'), up: null},
  ].filter(Boolean);
  return {units, ways};
}
