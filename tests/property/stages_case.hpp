#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/base/statistics.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim::test {

/// A machine in closed form, the same with `detail: stages`, and launches on them.
struct StagesCase {
  std::unique_ptr<MachineRunner> closed;
  std::unique_ptr<MachineRunner> staged;
  std::vector<KernelLaunch> launches;
  /// Seed and problem in words.
  std::string text;
};

/// Machines with all keys drawn: patterns, codings, widths, buffers; kernels of 1 to 8 warps.
/// @param queues  as the key of machine files
[[nodiscard]] StagesCase draw_stages_case(std::uint64_t seed, const std::string& queues);

/// What a launch tells in closed form and by stages that has to be equal and is not, in words; ""
/// if nothing: all but the events it took, and of the stages the sum of blocked and starved. The
/// bytes that have moved from stage to stage are those of all instructions.
[[nodiscard]] std::string difference_of_stages(const MmaInstruction& instruction,
                                               LaunchStatistics closed, LaunchStatistics staged);

/// Such cases with rigid queues, checked.
void expect_equal_stages(std::uint64_t first_seed, std::uint64_t cases);

/// Cases with queues of 1, 2 and 5: with fast-forward they are the same as without, every unit's
/// buckets add up, and each stage is busy as long as in closed form.
void expect_sound_queues(std::uint64_t first_seed, std::uint64_t cases);

}  // namespace stcsim::test
