#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "tests/property/fast_forward_case.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

void expect_same_without(MachineRunner& runner, const KernelLaunch& launch) {
  runner.set_fast_forward(true);
  const LaunchStatistics on = runner.run(launch);
  runner.set_fast_forward(false);
  const LaunchStatistics off = runner.run(launch);
  EXPECT_EQ(test::difference(off, on), "");
}

class SomeRandomCases : public testing::TestWithParam<int> {};

/// Ten of those that `make soak` draws: all that a launch tells is the same, but for its events.
TEST_P(SomeRandomCases, AreTheSameWithoutFastForward) {
  constexpr std::uint64_t kFirstSeed = 700;
  std::vector<test::FastForwardCase> cases;
  for (std::uint64_t at = 0; at < 10; ++at) {
    const auto block = static_cast<std::uint64_t>(GetParam());
    cases.push_back(test::draw_fast_forward_case(kFirstSeed + 10 * block + at));
  }
  for (test::FastForwardCase& one : cases) {
    SCOPED_TRACE(one.text);
    for (const KernelLaunch& launch : one.launches) expect_same_without(*one.runner, launch);
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, SomeRandomCases, testing::Range(0, 4));

/// A tiny machine of `sms` SMs that hold `slots` CTAs each.
MachineConfig machine_of(std::int64_t sms, std::int64_t slots) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.num_sms = sms;
  machine.accelerator.sm.max_ctas = slots;
  return machine;
}

KernelLaunch launch_of(const MachineConfig& machine, const std::string& name,
                       const GemmProblem& problem) {
  for (const KernelConfig& config : machine.kernels) {
    if (config.name != name) continue;
    std::string why_not;
    const auto kernel =
        fit_kernel(machine, config, problem.dtype, config.sparse ? Pattern{2, 4} : kDense, why_not);
    if (kernel) return gemm_launch(machine, *kernel, problem, 1);
  }
  ADD_FAILURE() << "no kernel " << name;
  return {};
}

/// Waves of CTAs are skipped up to the end of the grid, wherever that lies in a wave: the last
/// CTAs go to whatever SM is free.
TEST(FastForward, SeesTheEndOfEveryGrid) {
  std::vector<std::unique_ptr<MachineRunner>> runners;
  for (const std::int64_t sms : {1, 2, 3}) {
    for (const std::int64_t slots : {1, 2, 3}) {
      runners.push_back(std::make_unique<MachineRunner>(machine_of(sms, slots)));
    }
  }
  for (const auto& runner : runners) {
    const MachineConfig& machine = runner->machine();
    for (std::int64_t tiles = 40; tiles <= 61; ++tiles) {
      SCOPED_TRACE(testing::Message()
                   << machine.accelerator.num_sms << " SMs, " << tiles << " tiles");
      const GemmProblem problem = test::make_problem(16 * tiles, 8, 64);
      expect_same_without(*runner, launch_of(machine, "dense", problem));
    }
  }
}

/// What a warp waits for lies beyond the instruction and the k-step at work: accumulators that are
/// ready long after the interval of the group's only instruction, and a barrier longer than a
/// k-step.
TEST(FastForward, KnowsWhatWarpsWaitFor) {
  std::vector<std::unique_ptr<MachineRunner>> runners;
  for (const std::int64_t latency : {9, 61, 130}) {
    for (const std::int64_t barrier : {0, 77, 150}) {
      MachineConfig machine = machine_of(2, 2);
      machine.accelerator.sm.shared_memory.barrier_cycles = barrier;
      for (MmaInstruction& one : machine.accelerator.sm.tensor_core.instructions) {
        one.latency_cycles = latency;
      }
      machine.kernels.push_back(test::make_kernel("two_warps", false, 32, 8, 32, 3, 2, 1));
      runners.push_back(std::make_unique<MachineRunner>(machine));
    }
  }
  for (const auto& runner : runners) {
    for (const char* const kernel : {"dense", "dense_s1", "two_warps"}) {
      for (const std::int64_t k : {700, 1616}) {
        const GemmProblem problem = test::make_problem(100, 24, k);
        SCOPED_TRACE(testing::Message() << kernel << ", k " << k);
        expect_same_without(*runner, launch_of(runner->machine(), kernel, problem));
      }
    }
  }
}

}  // namespace
}  // namespace stcsim
