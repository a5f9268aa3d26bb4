#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/run/machine_runner.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// Of every tenth kernel of `machine`, what is estimated is what the units count.
void expect_counts(const std::string& name, const GemmProblem& problem) {
  const MachineConfig machine = load_machine(name).config;
  MachineRunner runner(machine);
  const std::vector<KernelCandidate> every = every_candidate(machine, problem, {problem.a_pattern});
  ASSERT_FALSE(every.empty());
  for (std::size_t at = 0; at < every.size(); at += std::max<std::size_t>(every.size() / 10, 1)) {
    const KernelCandidate& one = every[at];
    SCOPED_TRACE(name + " " + one.kernel.config.name);
    const LaunchStatistics counted = runner.run(one.launch);
    const LaunchResult result = to_result(counted);
    const LaunchWork work = estimated_work(machine, one.launch, 5);
    const auto bytes = [&](const char* read, const char* written) {
      return result.count(read) + result.count(written);
    };
    EXPECT_EQ(work.cycles, 5);
    EXPECT_EQ(work.multiplier_macs, counted.instructions() * kept_macs(one.kernel.instruction));
    EXPECT_EQ(work.actions,
              actions_of(one.kernel.instruction, machine.accelerator.sm, counted.instructions()));
    EXPECT_EQ(work.shared_memory_bytes,
              bytes("shared_memory_read_bytes", "shared_memory_write_bytes"));
    EXPECT_EQ(work.l2_bytes, bytes("l2_read_bytes", "l2_write_bytes"));
    EXPECT_LE(work.dram_bytes, bytes("dram_read_bytes", "dram_write_bytes"));
    EXPECT_GT(2 * work.dram_bytes, bytes("dram_read_bytes", "dram_write_bytes"));
  }
}

GemmProblem problem_of(Pattern pattern) {
  GemmProblem problem = test::make_problem(520, 264, 1088);
  problem.a_pattern = pattern;
  return problem;
}

TEST(EstimatedWork, OfDenseKernelsIsWhatUnitsCount) {
  expect_counts("a100_nm8", problem_of(kDense));
}
TEST(EstimatedWork, OfSparseKernelsIsWhatUnitsCount) {
  expect_counts("a100_nm8", problem_of({1, 8}));
}
TEST(EstimatedWork, OfClustersIsWhatUnitsCount) {
  expect_counts("h100_nm8", problem_of({2, 4}));
}

/// 4 mJ of MACs in a millisecond: a board of 1 W takes four times as long, at a quarter of the
/// clock.
TEST(EstimatedWork, ASlowerClockCountsLessThanCycles) {
  MachineConfig machine = test::tiny_machine();
  machine.clock_mhz = 1000;
  machine.power.clock_step_mhz = 1;
  machine.power.mac_energy = {{DataType::fp16, 4.0}};
  machine.power.voltage_floor = 1;
  LaunchWork work;
  work.cycles = 1'000'000;
  work.multiplier_macs = 1'000'000'000;
  const auto ranked_by = [&](const LaunchConditions& conditions) {
    return cycles_at_full_clock(machine, DataType::fp16, work, conditions);
  };
  EXPECT_EQ(ranked_by({}), work.cycles) << "no limit";
  machine.power.limit_watts = 1;
  EXPECT_EQ(sustained_clock_mhz(machine, DataType::fp16, work), 250);
  EXPECT_DOUBLE_EQ(ranked_by({}), work.cycles * std::pow(4, 0.8));
  machine.power.limit_watts = 5;
  EXPECT_EQ(ranked_by({}), work.cycles) << "a limit that is not reached";
}

}  // namespace
}  // namespace stcsim
