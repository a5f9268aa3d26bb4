#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"
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

}  // namespace
}  // namespace stcsim
