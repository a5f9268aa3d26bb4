#include "sim/kernel_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace stcsim {
namespace {

double real(std::int64_t value) {
  return static_cast<double>(value);
}

/// Cycles one SM takes for one k-step of all its CTAs when `ctas` of them run.
double step_cycles(const MachineConfig& machine, const KernelLaunch& launch, double ctas) {
  const AcceleratorConfig& hardware = machine.accelerator;
  const WarpProgram& warp = launch.warp;
  const double warps = ctas * real(launch.warps);
  const double per_sub_core = warps / real(hardware.sm.sub_cores);
  const double gap = per_sub_core > 1.0 ? 0.0 : real(warp.same_warp_bubble.count()) / 1000.0;
  const double instructions = real(warp.groups_per_step * warp.instructions_per_group);
  const double math =
      std::max(per_sub_core, 1.0) * instructions * (real(warp.interval.count()) + gap);
  const double stage_bytes = real(launch.a.bytes(0, false) + launch.b.bytes(0, false));
  const double fetched = warps * real(warp.groups_per_step * warp.fragment_bytes);
  const SharedMemoryConfig& memory = hardware.sm.shared_memory;
  const double shared = ctas * stage_bytes / real(memory.fill_bytes_per_clk) +
                        fetched / real(memory.port_bytes_per_clk());
  const double port = ctas * stage_bytes / real(hardware.memory_bus.sm_read_bytes_per_clk);
  return std::max({math, shared, port});
}

double store_cycles(const MachineConfig& machine, const KernelLaunch& launch) {
  const double elements = real(launch.tile_m * launch.tile_n);
  const double staging = elements * real(launch.epilogue.staging_bytes_per_element) /
                         real(machine.accelerator.sm.shared_memory.port_bytes_per_clk());
  const double bus = elements * real(launch.epilogue.element_bytes) /
                     real(machine.accelerator.memory_bus.sm_write_bytes_per_clk);
  return real(machine.accelerator.sm.epilogue.setup_cycles) + std::max(staging, bus);
}

/// Bytes that have to cross the DRAM interface at least once.
double compulsory_bytes(const KernelLaunch& launch) {
  const auto distinct = [&](const OperandStream& stream) {
    return real(launch.batch_count * stream.distinct_strips * stream.distinct_slices) *
           real(stream.bytes(0, false)) * real(stream.distinct_per_1024) / 1024.0;
  };
  const double stored =
      real(launch.ctas() * launch.tile_m * launch.tile_n) * real(launch.epilogue.element_bytes);
  return distinct(launch.a) + distinct(launch.b) + (launch.epilogue.workspace ? 0.0 : stored);
}

}  // namespace

double estimate_cycles(const MachineConfig& machine, const KernelLaunch& launch) {
  const AcceleratorConfig& hardware = machine.accelerator;
  const double slots = real(launch.ctas_per_sm * hardware.num_sms);
  const double full_waves = std::floor(real(launch.ctas()) / slots);
  const double rest = real(launch.ctas()) - full_waves * slots;
  const double steps = real(launch.k_steps) / real(launch.splits);
  const double fill = real(hardware.cta_scheduler.cta_setup_cycles +
                           hardware.l2_cache.far_hit_cycles + hardware.dram.latency_cycles);
  const auto wave = [&](double ctas_per_sm, double sms) {
    const double loaded =
        ctas_per_sm * sms * real(launch.a.bytes(0, false) + launch.b.bytes(0, false));
    const double step = std::max(step_cycles(machine, launch, ctas_per_sm),
                                 loaded / real(hardware.l2_cache.read_bytes_per_clk));
    return fill + steps * step + ctas_per_sm * store_cycles(machine, launch);
  };
  double cycles = full_waves * wave(real(launch.ctas_per_sm), real(hardware.num_sms));
  if (rest > 0) {
    // The first CTAs go round the SMs, later ones to an SM with all its slots free.
    const double ctas = full_waves > 0 ? std::min(rest, real(launch.ctas_per_sm))
                                       : std::ceil(rest / real(hardware.num_sms));
    cycles += wave(ctas, std::ceil(rest / ctas));
  }
  const double memory = compulsory_bytes(launch) / real(hardware.dram.bytes_per_clk);
  return real(hardware.cta_scheduler.launch_cycles) + std::max(cycles, memory);
}

double estimate_events(const KernelLaunch& launch) {
  constexpr double kEventsPerLoad = 6.0;
  constexpr double kEventsPerGroup = 3.0;
  constexpr double kEventsPerCta = 40.0;
  const double steps = real(launch.k_steps) / real(launch.splits);
  const double groups = real(launch.warps * launch.warp.groups_per_step);
  return real(launch.ctas()) *
         (kEventsPerCta + steps * (2.0 * kEventsPerLoad + groups * kEventsPerGroup));
}

}  // namespace stcsim
