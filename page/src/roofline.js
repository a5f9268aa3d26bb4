// The roofline of a machine, and the GEMMs of a study as points in it.

import {density, isGemm} from './study.js';

const tera = 1e12;

function patternsOf(selector, dtype) {
  const own = (selector?.native_patterns_by_type ?? []).find((one) => one.dtype === dtype);
  return own ? own.patterns : selector?.native_patterns ?? [];
}

/**
 * Peaks of a machine of the resolved configuration.
 * @returns {bandwidth: bytes/s, dense, sparse: TFLOP/s, dense-equivalent} or null if it does not say
 */
export function peaksOf(machine, dtype, clockMhz) {
  const accelerator = machine?.accelerator;
  const unit = accelerator?.sm?.tensor_core?.multipliers?.find((one) => one.dtype === dtype);
  if (!unit) return null;
  const clock = clockMhz * 1e6;
  const dense = 2 * unit.fma_per_clk * accelerator.sm.sub_cores * accelerator.num_sms * clock / tera;
  const gains = patternsOf(accelerator.sm.operand_selector, dtype).map((one) => 1 / density(one));
  return {bandwidth: accelerator.dram.bytes_per_clk * machine.clock_mhz * 1e6, dense,
          sparse: dense * Math.max(1, ...gains)};
}

/** FLOP per byte of DRAM traffic and TFLOP/s of a row, skipped zeros counted. */
export function pointOf(row) {
  const moved = row['traffic.dram_read_bytes'] + row['traffic.dram_write_bytes'];
  const seconds = row.time_us / 1e6;
  if (!(row.macs > 0) || !(moved > 0) || !(seconds > 0)) return null;
  return {x: 2 * row.macs / moved, y: 2 * row.macs / seconds / tera};
}

/** Points of all schemes of a group; GEMMs that several schemes run alike are one point. */
export function pointsOf(group) {
  const points = new Map();
  for (const row of group.rows) {
    if (!isGemm(row)) continue;
    const point = pointOf(row);
    if (point === null) continue;
    const key = JSON.stringify([row.layer, row.phase, row.hardware_pattern, row.cycles, row.macs]);
    const known = points.get(key);
    if (known) known.schemes.push(row.scheme);
    else points.set(key, {...point, row, schemes: [row.scheme]});
  }
  return [...points.values()];
}
