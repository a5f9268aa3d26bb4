
#include <algorithm>

#include "common/counts.hpp"
#include "models/base/memory_traffic.hpp"
#include "models/bounds/critical_path.hpp"
#include "models/cta_scheduler/cta_scheduler.hpp"
#include "models/dram/dram.hpp"
#include "models/l2_cache/l2_cache.hpp"
#include "models/memory_bus/memory_bus.hpp"
#include "models/shared_memory/shared_memory.hpp"
#include "models/sub_core/sub_core.hpp"

namespace stcsim {
namespace {

/// The bound of a launch that reads tiles, in cycles from the dispatch of its first CTAs.
class LaunchBound {
 public:
  LaunchBound(const AcceleratorConfig& machine, const KernelLaunch& launch)
      : machine_(machine),
        launch_(launch),
        path_(machine, launch),
        ctas_(CtaScheduler::most_ctas_of_an_sm(launch, machine.num_sms)) {}

  [[nodiscard]] std::int64_t cycles() const {
    return std::max({of_slots(), of_sub_cores(), of_port(), of_copy_engine(), of_bus(), of_l2(),
                     of_dram_reads(), of_stores()});
  }

 private:
  /// Some slot runs its share of an SM's CTAs, one after the other.
  [[nodiscard]] std::int64_t of_slots() const {
    if (launch_.persistent) return path_.whole(kFirst);
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
  /// The part staged last is stored, which takes three messages more.
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
    return path_.to_first_byte(kFirst) +
           MemoryBus::least_read_cycles(machine_.memory_bus, launch_, machine_.num_sms).count() +
           after_stage();
  }
  /// Its first answer may have come the longer way than its last.
  [[nodiscard]] std::int64_t of_l2() const {
    const L2CacheConfig& l2 = machine_.l2_cache;
    return path_.to_first_byte(kFirst) - (l2.far_hit_cycles - l2.near_hit_cycles) +
           L2Cache::least_read_cycles(l2, launch_).count() + after_stage();
  }
  [[nodiscard]] std::int64_t of_dram_reads() const {
    if (least_dram_reads(launch_) == 0) return 0;
    return path_.to_start() + machine_.l2_cache.near_hit_cycles + machine_.dram.latency_cycles +
           Dram::least_read_cycles(machine_.dram, launch_).count() + after_stage();
  }
  [[nodiscard]] std::int64_t of_stores() const {
    const Cycles of_sm =
        MemoryBus::least_write_cycles(machine_.memory_bus, launch_, machine_.num_sms);
    return path_.to_first_store(kFirst) +
           std::max(of_sm, L2Cache::least_write_cycles(machine_.l2_cache, launch_)).count();
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
  const std::int64_t steps = launch.fewest_steps();
  const SharedMemoryConfig& memory = machine.sm.shared_memory;
  return std::max(issue_cycles(machine.sm, launch, steps),
                  port_time(memory, launch, steps).of_cta());
}

Cycles least_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch) {
  const std::int64_t begin = std::max<std::int64_t>(machine.cta_scheduler.launch_cycles, 1);
  const std::int64_t ctas = cycles_for(launch.ctas(), machine.num_sms).count();
  std::int64_t cycles = begin + least_cta_cycles(machine, launch).count() * ctas;
  if (launch.staircase.tiles > 0) {
    const std::int64_t steps = launch.column_steps() * launch.tiles_n * launch.batch_count;
    cycles =
        std::max(cycles, begin + issue_cycles(machine.sm, launch, steps / machine.num_sms).count());
  }
  cycles = std::max({cycles, Dram::least_cycles(machine.dram, launch).count(),
                     L2Cache::least_cycles(machine.l2_cache, launch).count()});
  if (launch.reads_tiles()) {
    cycles = std::max(cycles, begin + LaunchBound(machine, launch).cycles());
  }
  return Cycles(cycles);
}

}  // namespace stcsim
