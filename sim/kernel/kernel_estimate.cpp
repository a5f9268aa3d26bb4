#include "sim/kernel/kernel_estimate.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "common/counts.hpp"
#include "models/base/memory_traffic.hpp"
#include "models/bounds/critical_path.hpp"
#include "models/epilogue/epilogue.hpp"
#include "models/memory_bus/memory_bus.hpp"
#include "models/shared_memory/shared_memory.hpp"
#include "models/sub_core/sub_core.hpp"

namespace stcsim {
namespace {

double real(std::int64_t value) {
  return static_cast<double>(value);
}

/// Bytes of all that a k-step loads.
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
  const double fetched =
      warps * real(warp.groups_per_step * warp.fragments.total() + warp.turned_bytes);
  const SharedMemoryConfig& memory = hardware.sm.shared_memory;
  const double filling = ctas * real(fill_cycles(memory, launch).count());
  const double fetching = fetched / real(memory.port_bytes_per_clk());
  const double shared =
      has_fill_port(memory, launch) ? std::max(filling, fetching) : filling + fetching;
  // With one fragment buffer and one group per k-step, no warp reads while it multiplies, and the
  // barrier keeps all of them in step.
  const bool is_serial = ctas <= 1.0 && warp.fragment_buffers == 1 && warp.groups_per_step == 1;
  const double apart = is_serial ? fetched / real(memory.port_bytes_per_clk()) + math : 0.0;
  const double port =
      ctas * stage_bytes(launch) /
      real(MemoryBus::read_bytes_per_clk(hardware.memory_bus, launch, hardware.num_sms));
  std::int64_t issued = 0;
  for (const Operand operand : launch.operands()) issued += launch.issued_bytes(operand);
  const double issue = ctas * real(issued) / real(hardware.sm.copy_engine.bytes_per_clk(launch));
  return std::max({math, shared, port, issue, apart});
}

/// Cycles for so many CTAs of an SM, which prepare their tiles side by side.
double store_cycles(const MachineConfig& machine, const KernelLaunch& launch, double ctas) {
  const double bytes = real(launch.epilogue.stored_bytes(launch.tile_m, launch.tile_n));
  const double elements = bytes / real(launch.epilogue.element_bytes);
  const double staging = elements * real(launch.epilogue.staging_bytes_per_element) /
                         real(machine.accelerator.sm.shared_memory.port_bytes_per_clk());
  const double bus = bytes / real(machine.accelerator.memory_bus.sm_write_bytes_per_clk);
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
  const std::int64_t slots = launch.main_loops_per_sm();
  const std::int64_t rest = launch.ctas() % (slots * sms);
  if (rest == 0) return {real(slots), real(sms)};
  const std::int64_t ctas =
      launch.ctas() > slots * sms ? std::min(rest, slots) : ceil_div(rest, sms);
  return {real(ctas), real(ceil_div(rest, ctas))};
}

/// Cycles of the k-steps of a wave's CTAs, however long DRAM takes to deliver the bytes: with all
/// data in L2, or with some to come from DRAM. CTAs that run together ask for the same data, so all
/// wait if the first to ask does.
struct MainLoop {
  double in_l2 = 0;
  double in_dram = 0;

  [[nodiscard]] double with_reads(double bytes) const { return bytes > 0 ? in_dram : in_l2; }
};

/// The loop of a CTA that has the machine to itself.
MainLoop alone(const MachineConfig& machine, const KernelLaunch& launch) {
  if (!launch.reads_tiles()) return {};
  const CriticalPath path(machine.accelerator, launch);
  const std::int64_t multiplying = path.main_loop();
  return {real(std::max(multiplying, path.refills(FirstData::in_l2))),
          real(std::max(multiplying, path.refills(FirstData::in_dram)))};
}

/// @param of_one  alone()
MainLoop main_loop(const MachineConfig& machine, const KernelLaunch& launch, const Wave& wave,
                   const MainLoop& of_one) {
  const double steps = real(launch.k_steps) / real(launch.splits);
  const double loaded = wave.ctas_per_sm * wave.sms * stage_bytes(launch) *
                        real(l2_read_bytes(launch)) / real(loaded_bytes(launch));
  const double side_by_side =
      steps * std::max(step_cycles(machine, launch, wave.ctas_per_sm),
                       loaded / real(machine.accelerator.l2_cache.read_bytes_per_clk));
  return {std::max(side_by_side, of_one.in_l2), std::max(side_by_side, of_one.in_dram)};
}

/// Cycles before the first k-step of a wave and after the last.
double cycles_at_ends(const MachineConfig& machine, const KernelLaunch& launch, double ctas) {
  const AcceleratorConfig& hardware = machine.accelerator;
  const double first_byte =
      real(hardware.cta_scheduler.cta_setup_cycles + launch.index_wait.count() +
           hardware.l2_cache.far_hit_cycles + hardware.dram.access_cycles().count());
  const double first_step =
      ctas * stage_bytes(launch) / real(hardware.sm.shared_memory.fill_bytes_per_clk);
  return first_byte + first_step + store_cycles(machine, launch, ctas);
}

/// What a persistent kernel's tile takes beside its main loop. Where nothing holds the next tile's
/// accumulators, that waits until this one is stored; else only if storing takes longer than
/// multiplying. Groups of warps that take turns share what is left.
double between_tiles(const MachineConfig& machine, const KernelLaunch& launch, double loop) {
  const double store = store_cycles(machine, launch, 1.0);
  if (!launch.has_spare_accumulators) return store;
  return std::max(0.0, store - loop) / real(launch.epilogue.warp_groups);
}

/// The share of the shorter of two times that overlap, one of which is DRAM's, so much is not
/// hidden behind the longer: CTAs that run together wait for DRAM and keep it waiting together.
constexpr double kNotHidden = 0.05;

/// @param reads  bytes that each wave brings in from DRAM
double estimate_with(const MachineConfig& machine, const KernelLaunch& launch, Waves waves,
                     std::span<const double> reads) {
  const double bytes_per_clk =
      real(machine.accelerator.dram.bytes_per_clk_of(launch.reads_tiles()));
  const Wave full{real(launch.main_loops_per_sm()), real(machine.accelerator.num_sms)};
  const bool is_rounded = waves == Waves::whole && launch.ctas() > machine.accelerator.num_sms;
  const Wave last = is_rounded ? full : last_wave(machine, launch);
  const MainLoop of_one = alone(machine, launch);
  const MainLoop full_loop = main_loop(machine, launch, full, of_one);
  const std::size_t before_last = reads.size() - 1;
  double units = main_loop(machine, launch, last, of_one).with_reads(reads.back());
  double reading = reads.back() / bytes_per_clk;
  double loops = std::max(units, reading);
  for (const double bytes : reads.first(before_last)) {
    const double loop = full_loop.with_reads(bytes);
    units += loop;
    reading += bytes / bytes_per_clk;
    loops += std::max(loop, bytes / bytes_per_clk);
  }
  // While one CTA begins or ends, the others of its SM multiply; not so in the last wave. Who
  // counts whole waves does not see it.
  const double last_ends = cycles_at_ends(machine, launch, last.ctas_per_sm);
  const double sharing = waves == Waves::whole ? 1.0 : full.ctas_per_sm;
  const double hidden_ends = cycles_at_ends(machine, launch, full.ctas_per_sm) / sharing;
  const double between =
      launch.persistent ? between_tiles(machine, launch, full_loop.in_l2) : hidden_ends;
  const double ends = static_cast<double>(before_last) * between + last_ends;
  // Neither the first access's latency nor the last CTAs' epilogues overlap with what is read.
  const double dram = reading + real(launch.stored_bytes()) / bytes_per_clk;
  return real(machine.accelerator.cta_scheduler.launch_cycles) +
         std::max({loops + ends, dram, reading + last_ends}) +
         kNotHidden * std::min(units + ends, dram);
}

}  // namespace

double estimate_cycles(const MachineConfig& machine, const KernelLaunch& launch, Waves waves) {
  return estimate_with(machine, launch, waves, estimate_dram_reads(machine, launch));
}

double least_estimate_cycles(const MachineConfig& machine, const KernelLaunch& launch,
                             Waves waves) {
  const std::int64_t running = machine.accelerator.num_sms * launch.main_loops_per_sm();
  const auto count = static_cast<std::size_t>(ceil_div(launch.ctas(), running));
  return estimate_with(machine, launch, waves, std::vector<double>(count, 0.0));
}

}  // namespace stcsim
