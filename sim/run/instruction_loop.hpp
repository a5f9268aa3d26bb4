#pragma once

#include <cstdint>

#include "models/base/kernel_launch.hpp"
#include "models/base/mma_instruction.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// The loop of an instruction micro-benchmark: one CTA whose warps each issue `chains` independent
/// instructions per pass; in the next pass each of them adds to its own accumulators again. The
/// method is that of Sun et al., "Dissecting Tensor Cores via Microbenchmarks", TPDS 2023.
struct InstructionLoop {
  MmaInstruction instruction;
  std::int64_t warps = 1;
  std::int64_t chains = 1;
  /// Instructions each warp issues for one of a warp group (wgmma), else 1.
  std::int64_t parts = 1;
  /// Shared-memory bytes a warp reads in a pass; none if the operands stay in registers.
  FragmentBytes fragments;
  /// Of tcgen05: results go to tensor memory, those of two CTAs if they multiply together.
  bool in_tensor_memory = false;
  bool of_cta_pair = false;
};

/// The kernel that makes `passes` passes.
[[nodiscard]] KernelLaunch loop_launch(const InstructionLoop& loop, std::int64_t passes);

/// Passes that are measured.
inline constexpr std::int64_t kMeasuredPasses = 1024;

/// Launches to simulate for the loop: its passes behind others that fill the pipelines, and these
/// alone.
struct LoopLaunches {
  KernelLaunch whole;
  KernelLaunch warm_up;
};
[[nodiscard]] LoopLaunches loop_launches(const InstructionLoop& loop);

/// Cycles the first pass takes longer than the others: the loop's instructions, and those that read
/// the clock after it, are fetched from DRAM. Two misses of the near L2 partition.
[[nodiscard]] Cycles cold_start(const AcceleratorConfig& machine);

/// Cycles of a pass as it is measured: kMeasuredPasses and the cold start, divided by their number.
/// Passes themselves take whole cycles.
/// @param whole, warm_up  cycles of the launches of loop_launches()
[[nodiscard]] double cycles_per_pass(const AcceleratorConfig& machine, std::int64_t whole,
                                     std::int64_t warm_up);

/// From the issue of a tcgen05.mma, alone, to the barrier that says that it has ended: A comes
/// through the port, then B while it multiplies.
[[nodiscard]] Cycles latency_in_tensor_memory(const InstructionLoop& loop,
                                              const MachineConfig& machine);

}  // namespace stcsim
