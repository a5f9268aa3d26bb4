#include "sim/kernel/kernel_bound.hpp"

#include <algorithm>

#include "common/counts.hpp"
#include "models/sub_core/instruction_timing.hpp"
#include "sim/kernel/critical_path.hpp"
#include "sim/kernel/memory_traffic.hpp"
#include "sim/kernel/port_time.hpp"

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

/// Everything that is read and stored passes DRAM; writes that are still to be done when a launch
/// ends are as many as were left to it, or count (Dram::ends_at).
std::int64_t dram_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch) {
  const std::int64_t width = machine.dram.bytes_per_clk_of(launch.reads_tiles());
  return (least_dram_reads(launch) + launch.stored_bytes()) / width;
}

/// The bound of a launch that reads tiles, in cycles from the dispatch of its first CTAs.
class LaunchBound {
 public:
  LaunchBound(const AcceleratorConfig& machine, const KernelLaunch& launch)
      : machine_(machine),
        launch_(launch),
        path_(machine, launch),
        ctas_(most_ctas_of_an_sm(machine, launch)) {}

  [[nodiscard]] std::int64_t cycles() const {
    return std::max({of_slots(), of_sub_cores(), of_port(), of_copy_engine(), of_bus(), of_l2(),
                     of_dram_reads(), of_stores()});
  }

 private:
  /// Some slot runs its share of an SM's CTAs, one after the other.
  [[nodiscard]] std::int64_t of_slots() const {
    const std::int64_t rounds = ceil_div(ctas_, launch_.ctas_per_sm);
    return path_.whole(kFirst) + (rounds - 1) * path_.whole(FirstData::in_l2);
  }
  [[nodiscard]] std::int64_t of_sub_cores() const {
    const std::int64_t groups =
        ctas_ * launch_.warps * path_.steps() * launch_.warp.groups_per_step;
    return path_.to_first_fragments(kFirst) +
           groups * path_.group_millicycles() / machine_.sm.sub_cores / CriticalPath::kMilli +
           path_.interval_to_result() + path_.epilogue();
  }
  /// What was staged last is stored, which takes three messages more.
  [[nodiscard]] std::int64_t of_port() const {
    const SharedMemoryConfig& memory = machine_.sm.shared_memory;
    constexpr std::int64_t kMessages = 3;
    return path_.to_first_byte(kFirst) +
           port_time(memory, launch_, path_.steps()).of_cta().count() * ctas_ +
           memory.latency_cycles + kMessages;
  }
  [[nodiscard]] std::int64_t of_copy_engine() const {
    return path_.to_start() + path_.issue_cycles() * path_.steps() * ctas_ +
           machine_.l2_cache.near_hit_cycles + after_stage();
  }
  /// Some SM loads its share of the bytes.
  [[nodiscard]] std::int64_t of_bus() const {
    const std::int64_t width = machine_.memory_bus.sm_read_bytes_per_clk;
    return path_.to_first_byte(kFirst) + loaded_bytes(launch_) / machine_.num_sms / width +
           after_stage();
  }
  /// Its first answer may have come the longer way than its last.
  [[nodiscard]] std::int64_t of_l2() const {
    const L2CacheConfig& l2 = machine_.l2_cache;
    return path_.to_first_byte(kFirst) - (l2.far_hit_cycles - l2.near_hit_cycles) +
           loaded_bytes(launch_) / launch_.ctas_per_l2_read / l2.read_bytes_per_clk + after_stage();
  }
  [[nodiscard]] std::int64_t of_dram_reads() const {
    const std::int64_t bytes = least_dram_reads(launch_);
    if (bytes == 0) return 0;
    return path_.to_start() + machine_.l2_cache.near_hit_cycles + machine_.dram.latency_cycles +
           bytes / machine_.dram.bytes_per_clk_of(true) + after_stage();
  }
  [[nodiscard]] std::int64_t of_stores() const {
    const std::int64_t bytes = launch_.stored_bytes();
    const std::int64_t of_sm =
        bytes / machine_.num_sms / machine_.memory_bus.sm_write_bytes_per_clk;
    return path_.to_first_store(kFirst) +
           std::max(of_sm, bytes / machine_.l2_cache.write_bytes_per_clk);
  }
  [[nodiscard]] std::int64_t after_stage() const {
    return path_.stage_to_results() + path_.epilogue();
  }

  /// Caches are cold but for operands that start in the L2 cache.
  static constexpr FirstData kFirst = FirstData::in_dram;

  const AcceleratorConfig& machine_;
  const KernelLaunch& launch_;
  CriticalPath path_;
  std::int64_t ctas_;
};

}  // namespace

Cycles least_cta_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch) {
  const std::int64_t steps = launch.k_steps / launch.splits;
  const SharedMemoryConfig& memory = machine.sm.shared_memory;
  return std::max(issue_cycles(machine, launch, steps), port_time(memory, launch, steps).of_cta());
}

std::int64_t most_ctas_of_an_sm(const AcceleratorConfig& machine, const KernelLaunch& launch) {
  const std::int64_t sms = machine.num_sms;
  const std::int64_t even = ceil_div(launch.ctas(), sms);
  const std::int64_t slots = launch.ctas_per_sm;
  const std::int64_t later = launch.ctas() - slots * sms;
  if (later <= 0) return even;
  // Some SM takes on so many times as many CTAs as it has slots; the last time they may be fewer.
  const std::int64_t times = ceil_div(later, slots);
  const std::int64_t of_sm = ceil_div(times, sms);
  const bool is_only_one = times - (of_sm - 1) * sms == 1;
  const std::int64_t last = is_only_one ? later - (times - 1) * slots : slots;
  return std::max(even, of_sm * slots + last);
}

Cycles least_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch) {
  const std::int64_t begin = std::max<std::int64_t>(machine.cta_scheduler.launch_cycles, 1);
  const std::int64_t ctas = cycles_for(launch.ctas(), machine.num_sms).count();
  std::int64_t cycles = begin + least_cta_cycles(machine, launch).count() * ctas;
  cycles = std::max(cycles, dram_cycles(machine, launch));
  if (launch.reads_tiles()) {
    cycles = std::max(cycles, begin + LaunchBound(machine, launch).cycles());
  }
  return Cycles(cycles);
}

}  // namespace stcsim
