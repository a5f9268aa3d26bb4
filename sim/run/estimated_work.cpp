#include "sim/run/estimated_work.hpp"

#include <cmath>
#include <cstdint>

#include "models/base/memory_traffic.hpp"
#include "sim/run/operand_actions.hpp"

namespace stcsim {
namespace {

/// Of the logarithms of cycles and time. Where the board's limit decides, a kernel's time is its
/// energy by that limit, and its cycles, which the estimates may have wrong by a tenth and on small
/// machines by far more, would count nothing.
constexpr double kWeightOfCycles = 0.2;

}  // namespace

LaunchWork estimated_work(const MachineConfig& machine, const KernelLaunch& launch, double cycles) {
  const WarpProgram& warp = launch.warp;
  // K slices share the steps of a tile. Padding is multiplied, filled and staged like the rest.
  const std::int64_t steps = launch.tiles_m * launch.tiles_n * launch.batch_count * launch.k_steps;
  const std::int64_t groups = steps * launch.warps * warp.groups_per_step;
  const std::int64_t instructions = groups * warp.instructions_per_group;
  const std::int64_t loaded = loaded_bytes(launch);
  const std::int64_t stored = launch.stored_bytes();
  const std::int64_t outputs =
      launch.ctas() * launch.output_bytes() / launch.epilogue.element_bytes;
  const std::int64_t staged = outputs * launch.epilogue.staging_bytes_per_element;
  LaunchWork work;
  work.cycles = cycles;
  work.multiplier_macs = instructions * kept_macs(*warp.instruction);
  work.shared_memory_bytes =
      groups * warp.fragments.total() + steps * launch.shared_stage_bytes() + staged;
  work.l2_bytes = loaded / launch.ctas_per_l2_read + stored;
  work.dram_bytes = least_dram_reads(launch) + stored;
  work.actions = actions_of(*warp.instruction, machine.accelerator.sm.operand_fetch, instructions);
  return work;
}

double cycles_at_full_clock(const MachineConfig& machine, DataType dtype, const LaunchWork& work,
                            const LaunchConditions& conditions) {
  const double slowdown = machine.clock_mhz / sustained_clock_mhz(machine, dtype, work, conditions);
  return work.cycles * std::pow(slowdown, 1 - kWeightOfCycles);
}

EstimatedTime estimated_time(const MachineConfig& machine, DataType dtype,
                             const LaunchConditions& conditions) {
  if (machine.power.limit_watts <= 0 || conditions.locked_clock_mhz) return {};
  return [&machine, dtype, conditions](const KernelLaunch& launch, double cycles) {
    return cycles_at_full_clock(machine, dtype, estimated_work(machine, launch, cycles),
                                conditions);
  };
}

}  // namespace stcsim
