#include <gtest/gtest.h>

#include "models/l2_cache/l2_cache.hpp"
#include "sim/gemm_run.hpp"
#include "tests/support/core_runner.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/recording_port.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

TEST(L2CacheEdge, AFullCacheHoldsItsCapacity) {
  L2Cache core({900, 100, 50, 60, 90, 400}, Cycles(20));
  test::RecordingPort<LoadResponse> responses;
  test::RecordingPort<DramRequest> dram;
  core.responses = &responses;
  core.dram = &dram;
  KernelLaunch launch;
  launch.a.distinct_slices = 4;
  core.launch(launch);
  for (std::int64_t slice : {0, 1, 2}) {
    core.loads.push(Cycle(10 * slice + 1), 0, {0, 0, Operand::a, 0, 0, slice, 300, 300});
    test::run_core(core, Cycle(10 * slice + 1), Cycle(10 * slice + 5));
    const auto& [name, bytes, write] = dram.sent.back().message;
    core.fills.push(Cycle(10 * slice + 6), 0, {name});
    test::run_core(core, Cycle(10 * slice + 6), Cycle(10 * slice + 9));
  }
  core.loads.push(Cycle(100), 0, {0, 0, Operand::a, 0, 0, 0, 300, 300});
  test::run_core(core, Cycle(100), Cycle(200));
  EXPECT_EQ(dram.sent.size(), 3U);
}

TEST(SharedMemoryEdge, NoLatencyIsPossible) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.shared_memory.latency_cycles = 0;
  MachineRunner runner(machine);
  EXPECT_GT(run_gemm(runner, test::make_problem(1, 8, 16), {"dense", 1}).result.cycles, 0);
}

TEST(TensorCoreEdge, AnIntervalShorterThanTheBubbleRuns) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.tensor_core.same_warp_bubble_cycles = 3;
  for (auto& one : machine.accelerator.sm.tensor_core.instructions) one.interval_cycles = 1;
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
