#include <cstdint>

#include <gtest/gtest.h>

#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/machine_runner.hpp"
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

MachineConfig interleaved_by(std::int64_t bytes) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.num_sms = 2;
  machine.accelerator.l2_cache.interleave_bytes = bytes;
  return machine;
}

/// Where both partitions are equally far there is one. What of its launches recurs, and is skipped,
/// does not depend on where addresses would change partitions.
TEST(OnePartition, HasNoNearAndFarAddresses) {
  MachineRunner wide(interleaved_by(1 << 20));
  MachineRunner narrow(interleaved_by(1));
  for (const std::int64_t m : {16, 240, 272}) {
    for (const std::int64_t k : {48, 1040}) {
      const GemmProblem problem = test::make_problem(m, 40, k);
      const KernelLaunch launch =
          gemm_candidates(wide.machine(), problem, {"dense", 1}).front().launch;
      const LaunchStatistics of_wide = wide.run(launch);
      EXPECT_EQ(of_wide, narrow.run(launch)) << m << " x 40 x " << k;
      EXPECT_GT(of_wide.count("l2_read_bytes"), 0);
    }
  }
}

TEST(OnePartition, IsToldFromTwo) {
  L2CacheConfig cache = test::tiny_machine().accelerator.l2_cache;
  ASSERT_EQ(cache.near_hit_cycles, cache.far_hit_cycles);
  for (const std::int64_t bytes : {cache.interleave_bytes, cache.interleave_bytes + 1}) {
    for (const std::int64_t address : {0, 1}) EXPECT_FALSE(cache.is_far(bytes, address));
  }
  ++cache.far_hit_cycles;
  EXPECT_FALSE(cache.is_far(cache.interleave_bytes, 0));
  EXPECT_TRUE(cache.is_far(cache.interleave_bytes, 1));
  EXPECT_FALSE(cache.is_far(cache.interleave_bytes, 2));
  EXPECT_TRUE(cache.is_far(cache.interleave_bytes + 1, 0));
}

}  // namespace
}  // namespace stcsim
