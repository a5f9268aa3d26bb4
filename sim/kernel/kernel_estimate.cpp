#include "sim/kernel/kernel_estimate.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "common/counts.hpp"
#include "models/epilogue/epilogue.hpp"
#include "models/sub_core/instruction_timing.hpp"
#include "sim/kernel/dram_reads.hpp"

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
  const bool fills_bubbles = per_sub_core > 1.0 && !one.pace.has_bubbles_between_warps;
  const double gap = fills_bubbles ? 0.0 : real(one.pace.same_warp_bubble.count()) / 1000.0;
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
  const double shared = memory.has_fill_port ? std::max(filling, fetching) : filling + fetching;
  // With one fragment buffer and one group per k-step, no warp reads while it multiplies, and the
  // barrier keeps all of them in step.
  const bool is_serial = ctas <= 1.0 && warp.fragment_buffers == 1 && warp.groups_per_step == 1;
  const double apart = is_serial ? fetched / real(memory.port_bytes_per_clk()) + math : 0.0;
  const double port = ctas * stage_bytes(launch) / real(hardware.memory_bus.sm_read_bytes_per_clk);
  std::int64_t issued = 0;
  for (const Operand operand : launch.operands()) issued += launch.issued_bytes(operand);
  const double issue = ctas * real(issued) / real(hardware.sm.copy_engine.issue_bytes_per_clk);
  return std::max({math, shared, port, issue, apart});
}

/// Of so many CTAs of an SM, which prepare their tiles side by side.
double store_cycles(const MachineConfig& machine, const KernelLaunch& launch, double ctas) {
  const double elements = real(launch.tile_m * launch.tile_n);
  const double staging = elements * real(launch.epilogue.staging_bytes_per_element) /
                         real(machine.accelerator.sm.shared_memory.port_bytes_per_clk());
  const double bus = elements * real(launch.epilogue.element_bytes) /
                     real(machine.accelerator.memory_bus.sm_write_bytes_per_clk);
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  const Cycles preparation = Epilogue::preparation(sm.epilogue, sm.shared_memory, launch);
  return real(preparation.count()) + ctas * std::max(staging, bus);
}

/// CTAs that run together, on each of so many SMs.
struct Wave {
  double ctas_per_sm = 0;
  double sms = 0;
};

/// The last one of a grid. The first CTAs of a grid go round the SMs, later ones to an SM with all
/// its slots free.
Wave last_wave(const MachineConfig& machine, const KernelLaunch& launch) {
  const std::int64_t sms = machine.accelerator.num_sms;
  const std::int64_t slots = launch.ctas_per_sm;
  const std::int64_t rest = launch.ctas() % (slots * sms);
  if (rest == 0) return {real(slots), real(sms)};
  const std::int64_t ctas =
      launch.ctas() > slots * sms ? std::min(rest, slots) : ceil_div(rest, sms);
  return {real(ctas), real(ceil_div(rest, ctas))};
}

/// K-steps of the CTAs of a wave.
double main_loop_cycles(const MachineConfig& machine, const KernelLaunch& launch,
                        const Wave& wave) {
  const double steps = real(launch.k_steps) / real(launch.splits);
  const double loaded =
      wave.ctas_per_sm * wave.sms * stage_bytes(launch) / real(launch.ctas_per_l2_read);
  return steps * std::max(step_cycles(machine, launch, wave.ctas_per_sm),
                          loaded / real(machine.accelerator.l2_cache.read_bytes_per_clk));
}

/// What comes before the first k-step of a wave and after the last.
double cycles_at_ends(const MachineConfig& machine, const KernelLaunch& launch, double ctas) {
  const AcceleratorConfig& hardware = machine.accelerator;
  const double first_byte =
      real(hardware.cta_scheduler.cta_setup_cycles + launch.index_wait.count() +
           hardware.l2_cache.far_hit_cycles + hardware.dram.access_cycles().count());
  const double first_step =
      ctas * stage_bytes(launch) / real(hardware.sm.shared_memory.fill_bytes_per_clk);
  return first_byte + first_step + store_cycles(machine, launch, ctas);
}

/// @param reads  bytes that each wave brings in from DRAM
double estimate_with(const MachineConfig& machine, const KernelLaunch& launch, Waves waves,
                     std::span<const double> reads) {
  const double bytes_per_clk =
      real(machine.accelerator.dram.bytes_per_clk_of(launch.reads_tiles()));
  const Wave full{real(launch.ctas_per_sm), real(machine.accelerator.num_sms)};
  const bool is_rounded = waves == Waves::whole && launch.ctas() > machine.accelerator.num_sms;
  const Wave last = is_rounded ? full : last_wave(machine, launch);
  const double full_loop = main_loop_cycles(machine, launch, full);
  const std::size_t before_last = reads.size() - 1;
  double loops = std::max(main_loop_cycles(machine, launch, last), reads.back() / bytes_per_clk);
  double reading = reads.back() / bytes_per_clk;
  for (const double bytes : reads.first(before_last)) {
    loops += std::max(full_loop, bytes / bytes_per_clk);
    reading += bytes / bytes_per_clk;
  }
  // While one CTA begins or ends, the others of its SM multiply; not so in the last wave. Who
  // counts whole waves does not see it.
  const double last_ends = cycles_at_ends(machine, launch, last.ctas_per_sm);
  const double sharing = waves == Waves::whole ? 1.0 : full.ctas_per_sm;
  const double hidden_ends = cycles_at_ends(machine, launch, full.ctas_per_sm) / sharing;
  const double cycles = loops + static_cast<double>(before_last) * hidden_ends + last_ends;
  // Neither the first access's latency nor the last CTAs' epilogues overlap with what is read.
  const double writing = real(launch.stored_bytes()) / bytes_per_clk;
  return real(machine.accelerator.cta_scheduler.launch_cycles) +
         std::max({cycles, reading + writing, reading + last_ends});
}

}  // namespace

double estimate_cycles(const MachineConfig& machine, const KernelLaunch& launch, Waves waves) {
  return estimate_with(machine, launch, waves, estimate_dram_reads(machine, launch));
}

double least_estimate_cycles(const MachineConfig& machine, const KernelLaunch& launch,
                             Waves waves) {
  const std::int64_t running = machine.accelerator.num_sms * launch.ctas_per_sm;
  const auto count = static_cast<std::size_t>(ceil_div(launch.ctas(), running));
  return estimate_with(machine, launch, waves, std::vector<double>(count, 0.0));
}

}  // namespace stcsim
