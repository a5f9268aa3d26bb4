#include "sim/kernel/kernel_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "models/sub_core/instruction_timing.hpp"

namespace stcsim {
namespace {

double real(std::int64_t value) {
  return static_cast<double>(value);
}

/// Of all that a k-step loads.
double stage_bytes(const KernelLaunch& launch) {
  std::int64_t bytes = 0;
  for (const Operand operand : launch.operands()) bytes += launch.stream(operand).bytes(0, false);
  return real(bytes);
}

/// Cycles one SM takes for one k-step of all its CTAs when `ctas` of them run.
double step_cycles(const MachineConfig& machine, const KernelLaunch& launch, double ctas) {
  const AcceleratorConfig& hardware = machine.accelerator;
  const WarpProgram& warp = launch.warp;
  const InstructionTiming one = timing_of(hardware.sm, warp);
  const double warps = ctas * real(launch.warps);
  const double per_sub_core = warps / real(hardware.sm.sub_cores);
  const double gap = per_sub_core > 1.0 ? 0.0 : real(one.pace.same_warp_bubble.count()) / 1000.0;
  const double instructions = real(warp.groups_per_step * warp.instructions_per_group);
  // A CTA alone in its SM multiplies nothing from its last result to the opening of its barrier.
  const std::int64_t barrier = hardware.sm.shared_memory.barrier_cycles - one.pace.latency.count();
  const double pause = ctas > 1.0 ? 0.0 : real(std::max<std::int64_t>(barrier, 0));
  const double math =
      std::max(per_sub_core, 1.0) * instructions * (real(one.pace.interval.count()) + gap) + pause;
  const double fetched = warps * real(warp.groups_per_step * warp.fragments.total());
  const SharedMemoryConfig& memory = hardware.sm.shared_memory;
  const double filling = ctas * real(launch.shared_stage_bytes()) / real(memory.fill_bytes_per_clk);
  const double fetching = fetched / real(memory.port_bytes_per_clk());
  const double shared =
      memory.has_fill_port ? std::max(filling, fetching) : filling + fetching;
  // With one fragment buffer and one group per k-step, no warp reads while it multiplies, and the
  // barrier keeps all of them in step.
  const bool is_serial = ctas <= 1.0 && warp.fragment_buffers == 1 && warp.groups_per_step == 1;
  const double apart = is_serial ? fetched / real(memory.port_bytes_per_clk()) + math : 0.0;
  const double port = ctas * stage_bytes(launch) / real(hardware.memory_bus.sm_read_bytes_per_clk);
  return std::max({math, shared, port, apart});
}

double store_cycles(const MachineConfig& machine, const KernelLaunch& launch) {
  const double elements = real(launch.tile_m * launch.tile_n);
  const double staging = elements * real(launch.epilogue.staging_bytes_per_element) /
                         real(machine.accelerator.sm.shared_memory.port_bytes_per_clk());
  const double bus = elements * real(launch.epilogue.element_bytes) /
                     real(machine.accelerator.memory_bus.sm_write_bytes_per_clk);
  return real(machine.accelerator.sm.epilogue.setup_cycles) + std::max(staging, bus);
}

/// Bytes that have to come from DRAM at least once.
double compulsory_reads(const KernelLaunch& launch) {
  const auto distinct = [&](const OperandStream& stream) {
    if (stream.starts_in_l2) return 0.0;
    return real(launch.batch_count * stream.distinct_strips * stream.distinct_slices) *
           real(stream.bytes(0, false)) * real(stream.distinct_per_1024) / 1024.0;
  };
  double bytes = 0;
  for (const Operand operand : launch.operands()) bytes += distinct(launch.stream(operand));
  return bytes;
}

/// Bytes that have to get there.
double compulsory_writes(const KernelLaunch& launch) {
  if (launch.epilogue.stays_in_l2) return 0.0;
  return real(launch.ctas() * launch.tile_m * launch.tile_n) * real(launch.epilogue.element_bytes);
}

/// K-steps of the CTAs of a wave: `ctas` of them on each of `sms` SMs.
double main_loop_cycles(const MachineConfig& machine, const KernelLaunch& launch, double ctas,
                        double sms) {
  const double steps = real(launch.k_steps) / real(launch.splits);
  const double loaded = ctas * sms * stage_bytes(launch);
  return steps * std::max(step_cycles(machine, launch, ctas),
                          loaded / real(machine.accelerator.l2_cache.read_bytes_per_clk));
}

/// What comes before the first k-step of a wave and after the last.
double cycles_at_ends(const MachineConfig& machine, const KernelLaunch& launch, double ctas) {
  const AcceleratorConfig& hardware = machine.accelerator;
  const double first_byte =
      real(hardware.cta_scheduler.cta_setup_cycles + hardware.l2_cache.far_hit_cycles +
           hardware.dram.access_cycles().count());
  const double first_step =
      ctas * stage_bytes(launch) / real(hardware.sm.shared_memory.fill_bytes_per_clk);
  return first_byte + first_step + ctas * store_cycles(machine, launch);
}

}  // namespace

double estimate_cycles(const MachineConfig& machine, const KernelLaunch& launch) {
  const auto sms = real(machine.accelerator.num_sms);
  const auto slots = real(launch.ctas_per_sm);
  const double full_waves = std::floor(real(launch.ctas()) / (slots * sms));
  const double rest = real(launch.ctas()) - full_waves * slots * sms;
  double cycles = full_waves * main_loop_cycles(machine, launch, slots, sms);
  double waves = full_waves;
  double last = slots;  // CTAs of an SM in the last wave
  if (rest > 0) {
    // The first CTAs go round the SMs, later ones to an SM with all its slots free.
    last = full_waves > 0 ? std::min(rest, slots) : std::ceil(rest / sms);
    cycles += main_loop_cycles(machine, launch, last, std::ceil(rest / last));
    waves += 1;
  }
  // While one CTA begins or ends, the others of its SM multiply; not so in the last wave.
  const double last_ends = cycles_at_ends(machine, launch, last);
  cycles += (waves - 1) * cycles_at_ends(machine, launch, slots) / slots + last_ends;
  // Neither the first access's latency nor the last CTAs' epilogues overlap with what is read.
  const double bytes_per_clk =
      real(machine.accelerator.dram.bytes_per_clk_of(launch.reads_tiles()));
  const double reading = compulsory_reads(launch) / bytes_per_clk;
  const double writing = compulsory_writes(launch) / bytes_per_clk;
  return real(machine.accelerator.cta_scheduler.launch_cycles) +
         std::max({cycles, reading + writing, reading + last_ends});
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
