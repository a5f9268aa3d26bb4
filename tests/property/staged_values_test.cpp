#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/run/gemm_run.hpp"
#include "sim/run/machine_runner.hpp"
#include "tests/support/launch_check.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

constexpr std::array<const char*, 4> kQueues{"rigid", "1", "2", "5"};

/// A machine of a drawn pattern and coding, with ways of metadata that are as often too small as
/// not and registers behind its selector, in closed form and by stages.
struct Machines {
  std::unique_ptr<MachineRunner> closed;
  std::unique_ptr<MachineRunner> staged;
  bool is_rigid = true;
};

Machines draw_machines(Dice& dice) {
  MachineConfig machine = random_machine(dice);
  machine.stacks = {{"kept_sparse", kOwnKernels, kBySearch, kOwnKernels, kBySearch}};
  machine.kernels = {make_kernel("dense", false, 32, 16, 32, 2, 2, 1),
                     make_kernel("wide", false, 32, 128, 32, 2, 1, 2),
                     make_kernel("sparse", true, 32, 16, 128, 2, 2, 1)};
  StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  sm.shared_memory = {1 << 20, 1 << 19, 1024, 32, 4, 128, 20, 5};
  OperandSelectorConfig& selector = sm.operand_selector;
  const std::vector<Pattern> patterns{{1, 2},    {2, 4}, {1, 4},        {1, 8},
                                      {2, 8},    {4, 8}, {4, 16},       {8, 32},
                                      {4, 8, 2}, {3, 4}, outputs(2, 4), outputs(1, 8)};
  selector.native_patterns = {
      patterns[static_cast<std::size_t>(dice.between(0, std::ssize(patterns) - 1))]};
  selector.native_patterns_by_type = {};
  // Nothing whose time depends on values or on where they stand.
  selector.lane_inputs = field::kMostUnits;
  selector.lanes = Lanes::ordered;
  selector.skipped_zeros = SkippedZeros::none;
  selector.has_packed_slots = false;
  constexpr std::array<const char*, 3> kCodings{"index", "bitmask", "enumerated"};
  selector.metadata_coding = kCodings.at(static_cast<std::size_t>(dice.between(0, 2)));
  selector.metadata_fill_bytes_per_clk = dice.one_of({1, 3, 8, 64, field::kMostBytesPerClk});
  selector.metadata_buffer_bytes = dice.one_of({8, 64, 127, 128, field::kMostBytes});
  selector.selector_stages = dice.between(0, 3);
  Machines drawn;
  drawn.closed = std::make_unique<MachineRunner>(machine);
  sm.detail = Detail::stages;
  sm.queues = kQueues.at(static_cast<std::size_t>(dice.between(0, 3)));
  drawn.is_rigid = sm.queues == kRigidQueues;
  drawn.staged = std::make_unique<MachineRunner>(machine);
  return drawn;
}

GemmProblem draw_problem(const MachineConfig& machine, Dice& dice) {
  GemmProblem problem = random_problem(dice);
  problem.m = dice.between(1, 70);
  problem.n = dice.between(1, 40);
  problem.k = dice.between(1, 300);
  problem.a_pattern = machine.accelerator.sm.operand_selector.native_patterns.front();
  if (dice.between(0, 4) == 0) problem.a_pattern = kDense;
  return problem;
}

class StagedValues : public testing::TestWithParam<int> {};

/// 500 GEMMs with edges, of any type, pattern and coding on 100 machines: what words that move from
/// unit to unit come to is what a reference says that knows no unit; with rigid queues every stage
/// takes the closed form's cycles.
TEST_P(StagedValues, AreTheReferencesInTheTimeOfTheClosedForm) {
  constexpr std::uint64_t kMachines = 10;
  constexpr int kProblems = 5;
  const std::uint64_t first = seed_or(65000) + kMachines * static_cast<std::uint64_t>(GetParam());
  std::vector<Machines> machines;  // they have to be built before the first run
  for (std::uint64_t seed = first; seed < first + kMachines; ++seed) {
    Dice dice(seed);
    machines.push_back(draw_machines(dice));
  }
  KernelPolicy policy;
  policy.stack = "kept_sparse";
  for (std::uint64_t at = 0; at < kMachines; ++at) {
    Dice dice(first + at + 1'000'000);
    const Machines& one = machines[at];
    for (int problems = 0; problems < kProblems; ++problems) {
      const GemmProblem problem = draw_problem(one.closed->machine(), dice);
      SCOPED_TRACE(testing::Message()
                   << "seed " << first + at << ", problem " << problems << ": " << problem.m << "x"
                   << problem.n << "x" << problem.k << " " << problem.a_pattern.to_string());
      FunctionalOptions options;
      options.seed = static_cast<std::uint64_t>(dice.between(1, 1'000'000));
      const FunctionalRun staged = run_gemm_with_values(*one.staged, problem, policy, {}, options);
      EXPECT_EQ(staged.check.mismatches, 0) << staged.check.first_mismatch;
      EXPECT_EQ(staged.check.elements, wanted_elements(problem));
      if (!one.is_rigid) continue;
      const FunctionalRun closed = run_gemm_with_values(*one.closed, problem, policy, {}, options);
      EXPECT_EQ(closed.check.mismatches, 0) << closed.check.first_mismatch;
      EXPECT_EQ(staged.run.result.cycles, closed.run.result.cycles);
      EXPECT_EQ(staged.run.result.multiplier_macs, closed.run.result.multiplier_macs);
      for (const char* const stage :
           {"register_file", "metadata_buffer", "operand_selector", "multipliers"}) {
        EXPECT_EQ(bucket_of(staged.run.result, stage, "busy"),
                  bucket_of(closed.run.result, stage, "busy"))
            << stage;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, StagedValues, testing::Range(0, 10));

}  // namespace
}  // namespace stcsim::test
