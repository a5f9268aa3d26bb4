#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/kernel/library.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

TEST(KernelNames, OfCublasltAreTransposed) {
  const auto name = kernel_name("nvjet_sm90_tst_320x128_64x3_1x2_h_bz_coopB_TNT");
  ASSERT_TRUE(name);
  EXPECT_TRUE(name->is_transposed);
  EXPECT_EQ(name->tile_m, 320);
  EXPECT_EQ(name->tile_n, 128);
  EXPECT_EQ(name->tile_k, 64);
  EXPECT_EQ(name->stages, 3);
  EXPECT_EQ(name->cluster_m, 1);
  EXPECT_EQ(name->cluster_n, 2);
  EXPECT_FALSE(name->splits_k);
  EXPECT_TRUE(kernel_name("nvjet_sm90_tst_128x64_64x8_1x2_h_bz_splitK_TNT")->splits_k);
}

TEST(KernelNames, OfCublasltAreNotWhereTheirColumnsDoNotFillWgmma) {
  const auto name = kernel_name("nvjet_sm90_qqtst_144x128_128x6_1x2_h_bz_coopA_algo2_TNN");
  ASSERT_TRUE(name);
  EXPECT_FALSE(name->is_transposed);
  EXPECT_EQ(name->tile_m, 128);
  EXPECT_EQ(name->tile_n, 144);
  EXPECT_EQ(name->cluster_m, 2);
  EXPECT_EQ(name->cluster_n, 1);
}

TEST(KernelNames, OfCusparseltHaveTileAndCluster) {
  const std::string front = "sm90_xmma_sparse_gemm_e4m3bf16_e4m3f32_f32_tn_t_tilesize128x192x128_";
  const std::string back = "warpgroupsize1x1x1_execute_segment_k_";
  const auto alone = kernel_name(front + back + "off_kernel_5x_cusparselt");
  const auto shared = kernel_name(front + "cgasize4x1x1_" + back + "on_kernel_5x_cusparselt");
  ASSERT_TRUE(alone && shared);
  EXPECT_FALSE(alone->is_transposed);
  EXPECT_EQ(alone->tile_n, 192);
  EXPECT_EQ(alone->tile_k, 128);
  EXPECT_FALSE(alone->cluster_m) << "the name does not say";
  EXPECT_FALSE(alone->stages);
  EXPECT_FALSE(alone->segments_k);
  EXPECT_EQ(shared->cluster_m, 4);
  EXPECT_EQ(shared->cluster_n, 1);
  EXPECT_TRUE(shared->segments_k);
}

TEST(KernelNames, OfOthersSayNothing) {
  EXPECT_FALSE(kernel_name(""));
  EXPECT_FALSE(kernel_name("nvjet_sm90_tst_320x128"));
  EXPECT_FALSE(kernel_name("cutlass_80_tensorop_i16832gemm_s8_128x256_128x3_tn_align16"));
}

class NamedKernels : public ::testing::Test {
 protected:
  NamedKernelRun run(const char* name) { return run(std::string(name)); }
  NamedKernelRun run(const std::string& name) {
    return run_of(kernel_name(name).value(), problem_, machine_, "");
  }
  std::string fault_of(const char* name) {
    return test::message_of<ConfigError>([&] { (void)run(name); });
  }

  MachineConfig machine_ = load_machine("h200").config;
  GemmProblem problem_{512, 1024, 2048, 1, DataType::bf16};
};

TEST_F(NamedKernels, TheirTransposedProductsAre) {
  const auto dense = run("nvjet_sm90_tst_256x128_64x4_1x2_h_bz");
  EXPECT_EQ(dense.problem.m, 1024);
  EXPECT_EQ(dense.problem.n, 512);
  const KernelConfig& kernel = dense.machine.kernels.back();
  EXPECT_EQ(kernel.name, dense.kernel);
  EXPECT_EQ(kernel.tile_m, 256);
  EXPECT_EQ(kernel.warps_m, 16);
  EXPECT_EQ(kernel.stages, 4);
  EXPECT_EQ(kernel.multicast_a, 2);
  EXPECT_EQ(kernel.multicast_b, 1);
  EXPECT_TRUE(kernel.persistent) << "as the library's kernels";
  const auto wide = run("nvjet_sm90_tst_320x128_64x3_1x2_h_bz_coopB_TNT");
  EXPECT_EQ(wide.machine.kernels.back().warps_m, 4) << "20 warps do not fit";
  EXPECT_EQ(wide.machine.kernels.back().warps_n, 2);
}

/// Stages of 128x256x64 take 41 KiB in bf16, those of 128x256x128 42 KiB in fp8.
TEST_F(NamedKernels, HaveAsManyStagesAsFitWhereTheirNamesDoNotSay) {
  const std::string front = "sm90_xmma_sparse_gemm_t_tilesize128x256x";
  const std::string back = "_cgasize2x1x1_warpgroupsize2x1x1_";
  problem_.a_pattern = Pattern{2, 4};
  const auto sparse = run(front + "64" + back);
  EXPECT_EQ(sparse.problem, problem_);
  EXPECT_EQ(sparse.machine.kernels.back().tile_k, 64);
  EXPECT_EQ(sparse.machine.kernels.back().stages, 5);
  EXPECT_EQ(sparse.machine.kernels.back().multicast_b, 2);
  problem_.dtype = DataType::fp8_e4m3;
  const auto bytes = run(front + "128" + back);
  EXPECT_EQ(bytes.machine.kernels.back().tile_k, 64) << "in elements of 16 bits";
}

TEST_F(NamedKernels, AreRefusedWhereTheyDoNotFit) {
  problem_.a_pattern = Pattern{2, 4};
  EXPECT_EQ(fault_of("nvjet_sm90_tst_256x128_64x4_1x2_h_bz"), "error: a kernel of dense products");
  problem_.a_pattern = kDense;
  const std::string fault = fault_of("nvjet_sm90_tst_256x128_64x40_1x2_h_bz");
  EXPECT_NE(fault.find("shared memory"), std::string::npos) << fault;
}

/// Two tiles of 256 rows of C^T and four of 128 columns, 32 k-steps of 48 KiB.
TEST_F(NamedKernels, GiveEachSmItsWholeTile) {
  const NamedKernelRun dense = run("nvjet_sm90_tst_256x128_64x4_1x1_h_bz");
  KernelReport report;
  report.name = dense.kernel;
  EXPECT_EQ(received_bytes(dense.machine, dense.problem, report), 4 * 4 * 32 * 49152);
  report.name = "unheard of";
  EXPECT_EQ(received_bytes(dense.machine, dense.problem, report), std::nullopt);
}

}  // namespace
}  // namespace stcsim
