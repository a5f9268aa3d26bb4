#include <gtest/gtest.h>

#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

TEST(SharedMemoryEdge, NoLatencyIsPossible) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.shared_memory.latency_cycles = 0;
  MachineRunner runner(machine);
  EXPECT_GT(run_gemm(runner, test::make_problem(1, 8, 16), {"dense", 1}).result.cycles, 0);
}

TEST(TensorCoreEdge, AnIntervalShorterThanTheBubbleRuns) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.tensor_core.same_warp_bubble = Millicycles(3000);
  for (auto& rate : machine.accelerator.sm.tensor_core.multipliers) rate.fma_per_clk = 2048;
  machine.accelerator.sm.operand_fetch.register_bytes_per_clk = 0;
  machine.kernels = {test::make_kernel("d", false, 32, 32, 32, 3, 2, 2)};
  MachineRunner runner(machine);
  EXPECT_GT(run_gemm(runner, test::make_problem(100, 100, 160), {"d", 1}).result.cycles, 0);
}

TEST(KernelChoiceEdge, AListWithoutAPossibleSplitMeansOne) {
  MachineConfig machine = test::tiny_machine();
  machine.split_k = {3};
  MachineRunner runner(machine);
  EXPECT_EQ(run_gemm(runner, test::make_problem(16, 8, 16), {"dense", 1}).result.kernel.split_k, 1);
}

}  // namespace
}  // namespace stcsim
