#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/base/statistics.hpp"
#include "sim/kernel/column_gather.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/machine_runner.hpp"
#include "tests/property/fast_forward_case.hpp"
#include "tests/support/launch_check.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {

/// A machine in closed form, the same with `detail: stages`, and launches on them.
struct StagesCase {
  std::unique_ptr<MachineRunner> closed;
  std::unique_ptr<MachineRunner> staged;
  std::vector<KernelLaunch> launches;
  /// Seed and problem in words.
  std::string text;
};

namespace {

/// Buffers and ways of metadata that are as often too small as not.
void draw_metadata_way(OperandSelectorConfig& selector, Dice& dice) {
  selector.metadata_fill_bytes_per_clk = dice.one_of({1, 3, 8, 64, field::kMostBytesPerClk});
  selector.metadata_buffer_bytes = dice.one_of({8, 64, 127, 128, field::kMostBytes});
}

/// Takes out the bytes that move from stage to stage, of which the closed form does not tell, and
/// returns them: fragments, and decoded metadata.
std::array<std::int64_t, 2> take_moved_bytes(LaunchStatistics& statistics) {
  std::array<std::int64_t, 2> bytes{};
  for (UnitTotals& unit : statistics.units) {
    std::erase_if(unit.counters, [&](const Counter& counter) {
      const bool is_fragment = counter.name == "fragment_bytes";
      const bool is_decoded = counter.name == "decoded_metadata_bytes";
      if (is_fragment) bytes[0] += counter.value;
      if (is_decoded) bytes[1] += counter.value;
      return is_fragment || is_decoded;
    });
  }
  return bytes;
}

/// Adds up, for every kind of unit, the two buckets of waiting of which only the sum is defined.
void add_up_waits(LaunchStatistics& statistics) {
  for (UnitTotals& unit : statistics.units) {
    Cycles waits;
    std::erase_if(unit.buckets, [&](const auto& bucket) {
      const bool is_wait = bucket.first == "blocked" || bucket.first == "starved";
      if (is_wait) waits += bucket.second;
      return is_wait;
    });
    unit.buckets.emplace_back("waits", waits);
  }
}

}  // namespace

/// Machines with all keys drawn: patterns, codings, widths, buffers; kernels of 1 to 8 warps.
/// @param queues  as the key of machine files
StagesCase draw_stages_case(std::uint64_t seed, const std::string& queues) {
  Dice dice(seed);
  MachineConfig machine = random_machine(dice);
  machine.kernels.push_back(make_kernel("dense_of_8_warps", false, 64, 32, 32, 2, 4, 2));
  machine.kernels.push_back(make_kernel("sparse_of_8_warps", true, 64, 32, 64, 2, 4, 2));
  StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  draw_metadata_way(sm.operand_selector, dice);
  sm.operand_fetch.accumulator_bytes_per_clk = dice.one_of({64, 256, field::kMostBytesPerClk});
  GemmProblem problem = random_problem(dice);
  problem.m = std::min<std::int64_t>(problem.m, 100);
  problem.n = std::min<std::int64_t>(problem.n, 100);
  StagesCase drawn;
  drawn.text = "seed " + std::to_string(seed) + ": " + std::to_string(problem.m) + "x" +
               std::to_string(problem.n) + "x" + std::to_string(problem.k) + " " +
               problem.a_pattern.to_string();
  const Pattern hardware = sparsity_support(machine, problem.dtype, problem.a_pattern).hardware();
  for (const KernelConfig& config : machine.kernels) {
    std::string why_not;
    const auto kernel = fit_kernel(machine, config, problem.dtype, hardware, why_not);
    if (!kernel || !may_run(config, hardware, problem)) continue;
    const std::int64_t splits = std::min(dice.between(1, 3), most_splits(*kernel, problem));
    drawn.launches.push_back(gemm_launch(machine, *kernel, problem, splits));
  }
  drawn.closed = std::make_unique<MachineRunner>(machine);
  sm.detail = Detail::stages;
  sm.queues = queues;
  drawn.staged = std::make_unique<MachineRunner>(machine);
  return drawn;
}

/// What a launch tells in closed form and by stages that has to be equal and is not, in words; ""
/// if nothing: all but the events it took, and of the stages the sum of blocked and starved. The
/// bytes that have moved from stage to stage are those of all instructions.
std::string difference_of_stages(const MmaInstruction& instruction, LaunchStatistics closed,
                                 LaunchStatistics staged) {
  const InstructionOperands operands = operands_of(instruction);
  const std::int64_t each = operands.a_bytes + operands.b_bytes + operands.metadata_bytes;
  const std::int64_t instructions = staged.instructions();
  const auto [fragments, decoded] = take_moved_bytes(staged);
  if (fragments != instructions * each) return "fragments of other size";
  if (decoded != instructions * operands.metadata_bytes) return "not all metadata are decoded";
  add_up_waits(closed);
  add_up_waits(staged);
  return difference(closed, staged);
}

/// Such cases with rigid queues, checked.
void expect_equal_stages(std::uint64_t first_seed, std::uint64_t cases) {
  std::vector<StagesCase> drawn;  // machines have to be built before the first run
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    drawn.push_back(draw_stages_case(seed, kRigidQueues));
  }
  std::uint64_t sparse = 0;
  for (StagesCase& one : drawn) {
    SCOPED_TRACE(one.text);
    for (const KernelLaunch& launch : one.launches) {
      if (!launch.warp.instruction->pattern.is_dense()) ++sparse;
      const LaunchStatistics closed = one.closed->run(launch);
      one.staged->set_fast_forward(true);
      const LaunchStatistics skipped = one.staged->run(launch);
      one.staged->set_fast_forward(false);
      const LaunchStatistics staged = one.staged->run(launch);
      EXPECT_EQ(difference_of_stages(*launch.warp.instruction, closed, staged), "")
          << "closed form, stages";
      EXPECT_EQ(difference(staged, skipped), "") << "stages without fast-forward, with it";
    }
  }
  EXPECT_GE(sparse, cases / 2);
}

/// Cases with queues of 1, 2 and 5: with fast-forward they are the same as without, every unit's
/// buckets add up, and each stage is busy as long as in closed form.
void expect_sound_queues(std::uint64_t first_seed, std::uint64_t cases) {
  constexpr std::array<const char*, 3> kDepths{"1", "2", "5"};
  std::vector<StagesCase> drawn;
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    drawn.push_back(draw_stages_case(seed, kDepths.at(seed % kDepths.size())));
  }
  for (StagesCase& one : drawn) {
    SCOPED_TRACE(one.text);
    for (const KernelLaunch& launch : one.launches) {
      const LaunchStatistics closed = one.closed->run(launch);
      one.staged->set_fast_forward(true);
      const LaunchStatistics skipped = one.staged->run(launch);
      one.staged->set_fast_forward(false);
      const LaunchStatistics queued = one.staged->run(launch);
      EXPECT_EQ(difference(queued, skipped), "");
      expect_buckets_sum(to_result(queued));
      for (const char* const stage :
           {"register_file", "metadata_buffer", "operand_selector", "multipliers"}) {
        EXPECT_EQ(bucket_of(to_result(queued), stage, "busy"),
                  bucket_of(to_result(closed), stage, "busy"))
            << stage;
      }
    }
  }
}

namespace {

class RigidStages : public testing::TestWithParam<int> {};

/// 200 of the cases that `make soak` draws.
TEST_P(RigidStages, AreTheClosedForm) {
  constexpr std::uint64_t kCases = 25;
  expect_equal_stages(seed_or(44000) + kCases * static_cast<std::uint64_t>(GetParam()), kCases);
}

INSTANTIATE_TEST_SUITE_P(Blocks, RigidStages, testing::Range(0, 8));

TEST(QueuedStages, AreSound) {
  expect_sound_queues(seed_or(45000), 40);
}

}  // namespace

}  // namespace stcsim::test
