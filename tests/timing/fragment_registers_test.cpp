#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/own_process.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// The tiny machine whose warps have `buffers` fragment buffers if a thread may have `registers`.
MachineConfig tiny(std::int64_t buffers, std::int64_t registers) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.operand_fetch.fragment_buffers = buffers;
  machine.accelerator.sm.max_registers_per_thread = registers;
  return machine;
}

/// A tile of one 16x8 instruction per k-step: 4 accumulators, 4 registers of A, 2 of B and 44
/// others are 54 registers, and 56 with a second buffer of B.
constexpr std::int64_t kOneBuffer = 54;
constexpr std::int64_t kSecondOfB = 56;

/// Cycles of ten k-steps on each of the machines, which are all built before one runs.
std::vector<std::int64_t> of_ten_steps(const std::vector<MachineConfig>& machines) {
  std::vector<std::unique_ptr<MachineRunner>> runners;
  for (const MachineConfig& machine : machines) {
    runners.push_back(std::make_unique<MachineRunner>(machine));
  }
  std::vector<std::int64_t> cycles;
  for (const auto& runner : runners) {
    cycles.push_back(run_gemm(*runner, test::make_problem(16, 8, 160), {"dense", 1}).result.cycles);
  }
  return cycles;
}

TEST(FragmentRegisters, TooFewForASecondBufferAreAsSlowAsAMachineWithOne) {
  const auto cycles = of_ten_steps({tiny(2, kSecondOfB - 1), tiny(1, 255)});
  EXPECT_EQ(cycles[0], cycles[1]);
}

TEST(FragmentRegisters, ASecondBufferOfOneOperandIsAsGoodAsTwoWholeOnes) {
  const auto cycles = of_ten_steps({tiny(2, kSecondOfB), tiny(2, 255)});
  EXPECT_EQ(cycles[0], cycles[1]);
}

/// With one buffer a k-step is read when the one before has been issued: what was hidden before is
/// paid nine times.
TEST(FragmentRegisters, OneBufferWaitsForSharedMemoryOnceAStep) {
  const auto cycles = of_ten_steps({tiny(2, kOneBuffer), tiny(2, kSecondOfB)});
  EXPECT_GT(cycles[0], cycles[1]);
  EXPECT_EQ((cycles[0] - cycles[1]) % 9, 0) << cycles[0] << " " << cycles[1];
}

/// cuBLAS' kernel of 256x128x32 with three stages on an A100, 4096x4096x4096, column-major
/// matrices: Nsight Compute counts 707,205 and 707,405 cycles (published profile).
TEST(KernelProfile, AKernelOfCublasTakesTheCyclesThatAProfilerCounts) {
  const MachineConfig machine = load_machine(STCSIM_SOURCE_DIR "/configs/arch/a100.yaml").config;
  GemmProblem problem = test::make_problem(4096, 4096, 4096);
  problem.a_layout = OperandLayout::mn_major;
  MachineRunner runner(machine);
  const LaunchResult result = run_gemm(runner, problem, {"dense_256x128x32_s3", 1}).result;
  EXPECT_EQ(result.kernel.split_k, 1);
  EXPECT_NEAR(static_cast<double>(result.cycles) / 707305.0, 1.0, 0.015);
}

/// Of so many tiles one after the other on the only SM.
std::int64_t cycles_of(std::int64_t tiles, bool persistent) {
  return std::stoll(test::in_own_process([&] {
    MachineConfig machine = test::tiny_machine();
    machine.accelerator.sm.max_ctas = 1;
    machine.kernels.front().persistent = persistent;
    MachineRunner runner(machine);
    KernelPolicy policy;
    policy.kernel = "dense";
    const GemmProblem problem = test::make_problem(16, 8 * tiles, 64);
    return std::to_string(run_gemm(runner, problem, policy).result.cycles);
  }));
}

TEST(Persistent, OneTileTakesAsLong) {
  EXPECT_EQ(cycles_of(1, true), cycles_of(1, false));
}

TEST(Persistent, EveryTileAfterTheFirstIsSetUpAndFilledMeanwhile) {
  const std::int64_t apart = cycles_of(9, false) - cycles_of(8, false);
  const std::int64_t persistent = cycles_of(9, true) - cycles_of(8, true);
  EXPECT_EQ(apart, 924);
  EXPECT_EQ(persistent, 698)
      << "without the set-up (10), the way to the L2 cache and back (40, 130, "
         "40) and the messages between (6)";
}

/// Forward of a 3x3 convolution with 64 channels at 56x56, over `batch` samples. It is limited by
/// DRAM: within a CTA's 18 k-steps the state comes round only after four, but waves recur.
LaunchResult convolution(MachineRunner& runner, std::int64_t batch) {
  GemmProblem problem;
  problem.m = 64;
  problem.n = batch * 56 * 56;
  problem.k = 576;
  KernelPolicy policy;
  policy.kernel = "dense_64x256x32_s4";
  return run_gemm(runner, problem, policy).result;
}

TEST(RecurringWaves, MoreOfThemCostNothing) {
  MachineRunner runner(load_machine(STCSIM_SOURCE_DIR "/configs/arch/a100.yaml").config);
  const LaunchResult small = convolution(runner, 256);
  const LaunchResult large = convolution(runner, 4096);
  EXPECT_GT(large.cycles, small.cycles * 15);
  EXPECT_LT(large.events, small.events * 3 / 2);
}

}  // namespace
}  // namespace stcsim
