#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/own_process.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kRoomForTwo = 2 * 16 * 8 * 4;

/// Tiles of 16x8 one below the other.
GemmProblem problem_of(std::int64_t tiles, std::int64_t k) {
  return test::make_problem(16 * tiles, 8, k);
}

LaunchResult dense_on(const MachineConfig& machine, const GemmProblem& problem) {
  MachineRunner runner(machine);
  KernelPolicy policy;
  policy.kernel = "dense";
  return run_gemm(runner, problem, policy).result;
}

std::int64_t cycles_of(const MachineConfig& machine, const GemmProblem& problem) {
  return std::stoll(
      test::in_own_process([&] { return std::to_string(dense_on(machine, problem).cycles); }));
}

TEST(TensorMemory, BComesWhileTheInstructionsMultiply) {
  MachineConfig machine = test::tiny_machine();
  const std::int64_t in_registers = cycles_of(machine, problem_of(1, 16));
  machine.accelerator.sm.tensor_memory_bytes = kRoomForTwo;
  EXPECT_EQ(in_registers - cycles_of(machine, problem_of(1, 16)), 2)
      << "B of the only k-step: 256 bytes through a port of 128";
}

/// Cycles of each tile after the first, of a kernel that stays on the only SM.
std::int64_t cycles_of_next_tile(std::int64_t tensor_memory_bytes, std::int64_t epilogue_cycles) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.max_ctas = 1;
  machine.accelerator.sm.tensor_memory_bytes = tensor_memory_bytes;
  machine.accelerator.sm.epilogue.setup_cycles = epilogue_cycles;
  machine.kernels.front().persistent = true;
  return cycles_of(machine, problem_of(9, 64)) - cycles_of(machine, problem_of(8, 64));
}

TEST(TensorMemory, WithRoomForTwoTilesMainLoopAndEpilogueOverlap) {
  const std::int64_t apart = cycles_of_next_tile(kRoomForTwo / 2, 1000);
  EXPECT_EQ(cycles_of_next_tile(kRoomForTwo / 2, 1100), apart + 100);
  const std::int64_t epilogue = cycles_of_next_tile(kRoomForTwo, 1000);
  EXPECT_LT(epilogue, apart);
  EXPECT_EQ(cycles_of_next_tile(kRoomForTwo, 1100), epilogue + 100);
  const std::int64_t main_loop = cycles_of_next_tile(kRoomForTwo, 0);
  constexpr std::int64_t kStaging = 16 * 8 * 8 / 128;
  EXPECT_LE(cycles_of_next_tile(kRoomForTwo, 200), main_loop + kStaging)
      << "a short epilogue is hidden, but for the port that fragments wait for";
}

TEST(TensorMemory, TilesTakeItsRoomInsteadOfRegisters) {
  const MachineConfig b200 = load_machine("b200").config;
  std::string why_not;
  const auto fitted = [&](std::int64_t tile_n, std::int64_t tile_k, Pattern pattern,
                          DataType dtype = DataType::bf16) {
    KernelConfig kernel =
        test::make_kernel("one", !pattern.is_dense(), 128, tile_n, tile_k, 2, 4, 1);
    kernel.b_shared_by_warps = 4;
    return fit_kernel(b200, kernel, dtype, pattern, why_not);
  };
  const auto dense = fitted(256, 64, kDense);
  ASSERT_TRUE(dense);
  EXPECT_EQ(dense->registers_per_thread, 44);
  EXPECT_TRUE(dense->has_spare_accumulators) << "twice 128 x 256 x 4 bytes are all there is";
  const auto sparse = fitted(256, 128, {2, 4});
  ASSERT_TRUE(sparse);
  EXPECT_FALSE(sparse->has_spare_accumulators) << "metadata of a k-step lie beside them";
  EXPECT_TRUE(fitted(128, 128, {2, 4})->has_spare_accumulators);
  EXPECT_FALSE(fitted(256, 64, kDense, DataType::nvfp4)->has_spare_accumulators)
      << "scales of a k-step lie beside them";
  EXPECT_FALSE(fitted(520, 64, kDense));
  EXPECT_EQ(why_not, "needs 266240 bytes of tensor memory, an SM has 262144");
}

/// Bytes from L2 and from DRAM.
std::string reads_of(bool cta_pair) {
  return test::in_own_process([&] {
    MachineConfig machine = test::tiny_machine();
    machine.accelerator.num_sms = 2;
    machine.kernels.front().cta_pair = cta_pair;
    const LaunchResult result = dense_on(machine, problem_of(2, 64));
    return std::to_string(result.count("l2_read_bytes")) + " " +
           std::to_string(result.count("dram_read_bytes"));
  });
}

TEST(CtaPair, EachCtaReadsHalfOfBAndDramGivesAllOfIt) {
  constexpr std::int64_t kA = 2 * 16 * 64 * 2;
  constexpr std::int64_t kB = 8 * 64 * 2;
  EXPECT_EQ(reads_of(false), std::to_string(kA + 2 * kB) + " " + std::to_string(kA + kB));
  EXPECT_EQ(reads_of(true), std::to_string(kA + kB) + " " + std::to_string(kA + kB));
}

TEST(CtaPair, HalvesWhatAStageHoldsAndWhatThePortReadsOfB) {
  const MachineConfig b200 = load_machine("b200").config;
  KernelConfig kernel = test::make_kernel("one", false, 128, 256, 64, 6, 4, 1);
  kernel.b_shared_by_warps = 4;
  kernel.cta_pair = true;
  std::string why_not;
  const auto fitted = fit_kernel(b200, kernel, DataType::bf16, kDense, why_not);
  ASSERT_TRUE(fitted) << why_not;
  EXPECT_EQ(fitted->shared_memory_bytes, 6 * (128 + 128) * 64 * 2);
  const KernelLaunch launch =
      gemm_launch(b200, *fitted, test::make_problem(4096, 4096, 4096, 1, DataType::bf16), 1);
  EXPECT_EQ(launch.shared_stage_bytes(), (128 + 128) * 64 * 2);
  EXPECT_EQ(launch.warp.fragments.b, 128 * 16 * 2 / 4) << "a quarter for each warp";
  EXPECT_EQ(launch.raster_group % 2, 0) << "CTAs of a pair run at the same time";
}

}  // namespace
}  // namespace stcsim
