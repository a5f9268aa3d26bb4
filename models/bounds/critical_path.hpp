#pragma once

#include <cstdint>

#include "models/accelerator/accelerator_config.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/pipeline_stage.hpp"

namespace stcsim {

/// Where the data that a CTA asks for first are.
enum class FirstData : std::uint8_t { in_l2, in_dram };

/// The waits of one CTA of a launch that reads tiles, one after the other, even if it had the
/// machine to itself: lower bounds in cycles. Each follows the messages between the units, whose
/// rules stand where they are sent (CtaSlots, CopyEngine, L2Cache, MemoryBus, SharedMemory,
/// WarpScheduler, Epilogue).
class CriticalPath {
 public:
  /// Thousandths of a cycle, in which bubbles are counted.
  static constexpr std::int64_t kMilli = 1000;

  CriticalPath(const AcceleratorConfig& machine, const KernelLaunch& launch);

  /// From its dispatch to the copy engine's start.
  [[nodiscard]] std::int64_t to_start() const;
  /// From its dispatch to the first byte that arrives at shared memory.
  [[nodiscard]] std::int64_t to_first_byte(FirstData first) const;
  /// From its dispatch to the first fragments that a warp can multiply.
  [[nodiscard]] std::int64_t to_first_fragments(FirstData first) const;
  /// From the last bytes of a stage in shared memory to the results of the last warp that reads it.
  [[nodiscard]] std::int64_t stage_to_results() const;
  /// From the first fragments to the end of the last instruction's interval.
  [[nodiscard]] std::int64_t main_loop() const;
  /// From the first full stage to the last time that a stage is full again.
  /// @param again  where the data of later k-steps are
  [[nodiscard]] std::int64_t refills(FirstData again) const;
  /// From the end of an instruction's interval to its result.
  [[nodiscard]] std::int64_t interval_to_result() const;
  /// From the results of its last warp to the next CTA's dispatch to its slot.
  [[nodiscard]] std::int64_t epilogue() const;
  /// From its dispatch to the first byte that it stores, on the bus.
  [[nodiscard]] std::int64_t to_first_store(FirstData first) const;
  /// From its dispatch to the next CTA's to its slot.
  [[nodiscard]] std::int64_t whole(FirstData first) const;

  /// Thousandths of a cycle that one warp's group of instructions keeps its sub-core.
  [[nodiscard]] std::int64_t group_millicycles() const { return group_millicycles_; }
  /// K-steps of the CTA that has fewest.
  [[nodiscard]] std::int64_t steps() const { return launch_.fewest_steps(); }
  /// Cycles the copy engine takes to ask for one k-step.
  [[nodiscard]] std::int64_t issue_cycles() const;

 private:
  [[nodiscard]] std::int64_t bubbles_of_group() const;
  /// From a request of the copy engine to the first byte in shared memory.
  [[nodiscard]] std::int64_t load_cycles(Operand operand, FirstData first) const;
  [[nodiscard]] std::int64_t to_full_stage(FirstData first) const;
  /// A warp's wait for fragments that it has asked for, once they may be read.
  [[nodiscard]] std::int64_t fetch_cycles() const;
  [[nodiscard]] std::int64_t to_results(FirstData first) const;
  /// From the epilogue's start.
  [[nodiscard]] std::int64_t to_first_chunk() const;

  const AcceleratorConfig& machine_;
  const KernelLaunch& launch_;
  InstructionPace pace_;
  std::int64_t group_millicycles_ = 0;
};

/// Lower bounds that no simulation can undercut. They decide which kernels need not be simulated,
/// and how much faster than the one that was found any other may be.

/// Cycles an SM takes at least for every CTA it runs, whatever else it runs at the same time: from
/// what it can do only one after the other, to issue instructions on a sub-core and to move bytes
/// through the port of shared memory.
[[nodiscard]] Cycles least_cta_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch);

/// Cycles the launch takes at least: some SM runs CtaScheduler::most_ctas_of_an_sm(). The longest
/// of what each of these takes for its share, between the earliest that it can begin and the least
/// that is to be done after it: the CTAs of one slot, one after the other (critical_path.hpp);
/// sub-cores; the port of shared memory; copy engine; bus; L2 cache; DRAM, through which everything
/// that is read has to come once, and all that is stored has to go. Of stream kernels only
/// sub-cores, the port and DRAM count.
[[nodiscard]] Cycles least_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch);

}  // namespace stcsim
