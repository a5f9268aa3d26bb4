#include "sim/kernel/kernel_bound.hpp"

#include <algorithm>

#include "models/sub_core/instruction_timing.hpp"

namespace stcsim {
namespace {

/// The warps of all CTAs of an SM share its sub-cores, no better than evenly.
Cycles issue_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch,
                    std::int64_t steps) {
  const WarpProgram& warp = launch.warp;
  const Cycles interval = timing_of(machine.sm, warp).pace.interval;
  const std::int64_t instructions =
      launch.warps * steps * warp.groups_per_step * warp.instructions_per_group;
  return Cycles((interval * instructions).count() / machine.sm.sub_cores);
}

/// Output on its way through shared memory.
Cycles staging_cycles(const SharedMemoryConfig& memory, const KernelLaunch& launch) {
  const std::int64_t elements = launch.output_bytes() / launch.epilogue.element_bytes;
  return cycles_for(elements * launch.epilogue.staging_bytes_per_element,
                    memory.port_bytes_per_clk());
}

/// What all of a CTA's bytes take of the port. What comes in through a port of its own is not in
/// the way of another CTA's output.
Cycles port_cycles(const SharedMemoryConfig& memory, const KernelLaunch& launch,
                   std::int64_t steps) {
  const std::int64_t port = memory.port_bytes_per_clk();
  const std::int64_t stage = launch.shared_stage_bytes();
  const Cycles fills = cycles_for(stage, std::min(memory.fill_bytes_per_clk, port)) * steps;
  const Cycles reads = cycles_for(launch.warp.fragments.total(), port) *
                       (launch.warps * launch.warp.groups_per_step * steps);
  const Cycles others = reads + staging_cycles(memory, launch);
  return memory.has_fill_port ? std::max(fills, others) : fills + others;
}

}  // namespace

Cycles least_cta_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch) {
  const std::int64_t steps = launch.k_steps / launch.splits;
  const SharedMemoryConfig& memory = machine.sm.shared_memory;
  return std::max(issue_cycles(machine, launch, steps), port_cycles(memory, launch, steps));
}

Cycles least_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch) {
  const std::int64_t ctas = cycles_for(launch.ctas(), machine.num_sms).count();
  return Cycles(machine.cta_scheduler.launch_cycles) + least_cta_cycles(machine, launch) * ctas;
}

}  // namespace stcsim
