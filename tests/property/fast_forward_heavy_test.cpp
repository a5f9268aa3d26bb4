#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/kernel_choice.hpp"
#include "sim/machine_runner.hpp"
#include "sim/sparsity_support.hpp"
#include "tests/support/random_machine.hpp"

namespace stcsim::test {
namespace {

constexpr int kCasesPerProcess = 40;

/// Overrides the seed: STCSIM_SEED=n repeats a failure.
std::uint64_t base_seed() {
  const char* text = std::getenv("STCSIM_SEED");
  return text == nullptr ? 20261121 : std::strtoull(text, nullptr, 10);
}

/// Long reductions, grids of many waves, batches and split-K: what recurs, and what ends recurring.
GemmProblem long_problem(Dice& dice, const MachineConfig& machine) {
  GemmProblem problem = random_problem(dice);
  problem.m = dice.between(1, 200);
  problem.n = dice.between(1, 400);
  problem.k = dice.between(0, 2) == 0 ? dice.between(1, 400) : dice.between(500, 3000);
  if (!machine.supports(problem.dtype)) problem.dtype = DataType::fp16;
  return problem;
}

struct Case {
  std::unique_ptr<MachineRunner> runner;
  std::vector<KernelLaunch> launches;
  std::string text;
};

Case make_case(std::uint64_t seed) {
  Dice dice(seed);
  const MachineConfig machine = random_machine(dice);
  const GemmProblem problem = long_problem(dice, machine);
  const Pattern hardware = sparsity_support(machine, problem.dtype, problem.a_pattern).hardware;
  Case drawn;
  drawn.text = "seed " + std::to_string(seed) + ": " + std::to_string(problem.m) + "x" +
               std::to_string(problem.n) + "x" + std::to_string(problem.k) + " x" +
               std::to_string(problem.batch_count) + " " + problem.a_pattern.to_string();
  for (const KernelConfig& config : machine.kernels) {
    std::string why_not;
    const auto kernel = fit_kernel(machine, config, problem.dtype, hardware, why_not);
    if (!kernel) continue;
    const std::int64_t splits = std::min(dice.between(1, 3), most_splits(*kernel, problem));
    drawn.launches.push_back(gemm_launch(machine, *kernel, problem, splits));
  }
  drawn.runner = std::make_unique<MachineRunner>(machine);
  return drawn;
}

class FastForwardTest : public testing::TestWithParam<int> {};

/// Everything but the events it took.
LaunchStatistics run(MachineRunner& runner, const KernelLaunch& launch, bool fast_forward,
                     std::int64_t& events) {
  runner.set_fast_forward(fast_forward);
  LaunchStatistics statistics = runner.run(launch);
  events += statistics.events;
  statistics.events = 0;
  return statistics;
}

TEST_P(FastForwardTest, GivesTheSameStatisticsAsSimulatingEveryCycle) {
  const std::uint64_t first =
      base_seed() + static_cast<std::uint64_t>(GetParam()) * kCasesPerProcess;
  RecordProperty("first_seed", std::to_string(first));
  std::vector<Case> cases;
  for (int at = 0; at < kCasesPerProcess; ++at) {
    cases.push_back(make_case(first + static_cast<std::uint64_t>(at)));
  }
  std::int64_t events_off = 0;
  std::int64_t events_on = 0;
  for (Case& drawn : cases) {
    SCOPED_TRACE(drawn.text);
    for (const KernelLaunch& launch : drawn.launches) {
      const LaunchStatistics off = run(*drawn.runner, launch, false, events_off);
      const LaunchStatistics on = run(*drawn.runner, launch, true, events_on);
      EXPECT_EQ(on.cycles, off.cycles);
      EXPECT_TRUE(on == off);
    }
  }
  // Something has to be skipped, or this test would show nothing.
  EXPECT_LT(events_on, events_off);
  std::printf("seeds %llu to %llu: %lld events skipped to %lld\n",
              static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + kCasesPerProcess - 1),
              static_cast<long long>(events_off), static_cast<long long>(events_on));
}

INSTANTIATE_TEST_SUITE_P(Seeds, FastForwardTest, testing::Range(0, 8));

}  // namespace
}  // namespace stcsim::test
