#include "reports/validation/counter_rows.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "reports/validation/kernel_name.hpp"
#include "reports/validation/validation_report.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/study/study.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tiny_machine.hpp"

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
  std::optional<NamedKernelRun> run(const KernelName& name, const GemmProblem& problem) {
    return run_of(name, problem, machine_, "", why_not_);
  }

  MachineConfig machine_ = load_machine("h200").config;
  GemmProblem problem_{512, 1024, 2048, 1, DataType::bf16};

  std::string why_not_;
};

TEST_F(NamedKernels, TheirTransposedProductsAre) {
  const auto dense = run(*kernel_name("nvjet_sm90_tst_256x128_64x4_1x2_h_bz"), problem_);
  ASSERT_TRUE(dense) << why_not_;
  EXPECT_EQ(dense->problem.m, 1024);
  EXPECT_EQ(dense->problem.n, 512);
  const KernelConfig& kernel = dense->machine.kernels.back();
  EXPECT_EQ(kernel.name, dense->kernel);
  EXPECT_EQ(kernel.tile_m, 256);
  EXPECT_EQ(kernel.warps_m, 16);
  EXPECT_EQ(kernel.stages, 4);
  EXPECT_EQ(kernel.multicast_a, 2);
  EXPECT_EQ(kernel.multicast_b, 1);
  EXPECT_TRUE(kernel.persistent) << "as the library's kernels";
  const auto wide = run(*kernel_name("nvjet_sm90_tst_320x128_64x3_1x2_h_bz_coopB_TNT"), problem_);
  ASSERT_TRUE(wide) << why_not_;
  EXPECT_EQ(wide->machine.kernels.back().warps_m, 4) << "20 warps do not fit";
  EXPECT_EQ(wide->machine.kernels.back().warps_n, 2);
}

/// Stages of 128x256x64 take 41 KiB in bf16, those of 128x256x128 42 KiB in fp8.
TEST_F(NamedKernels, HaveAsManyStagesAsFitWhereTheirNamesDoNotSay) {
  const std::string front = "sm90_xmma_sparse_gemm_t_tilesize128x256x";
  const std::string back = "_cgasize2x1x1_warpgroupsize2x1x1_";
  problem_.a_pattern = Pattern{2, 4};
  const auto sparse = run(*kernel_name(front + "64" + back), problem_);
  ASSERT_TRUE(sparse) << why_not_;
  EXPECT_EQ(sparse->problem, problem_);
  EXPECT_EQ(sparse->machine.kernels.back().tile_k, 64);
  EXPECT_EQ(sparse->machine.kernels.back().stages, 5);
  EXPECT_EQ(sparse->machine.kernels.back().multicast_b, 2);
  problem_.dtype = DataType::fp8_e4m3;
  const auto bytes = run(*kernel_name(front + "128" + back), problem_);
  ASSERT_TRUE(bytes) << why_not_;
  EXPECT_EQ(bytes->machine.kernels.back().tile_k, 64) << "in elements of 16 bits";
}

TEST_F(NamedKernels, AreRefusedWhereTheyDoNotFit) {
  problem_.a_pattern = Pattern{2, 4};
  EXPECT_FALSE(run(*kernel_name("nvjet_sm90_tst_256x128_64x4_1x2_h_bz"), problem_));
  EXPECT_EQ(why_not_, "a kernel of dense products");
  problem_.a_pattern = kDense;
  EXPECT_FALSE(run(*kernel_name("nvjet_sm90_tst_256x128_64x40_1x2_h_bz"), problem_));
  EXPECT_NE(why_not_.find("shared memory"), std::string::npos) << why_not_;
}

class CounterTable : public ::testing::Test {
 protected:
  MeasuredCounters first(const std::string& row) {
    std::ofstream(path_) << "gpu,dtype,M,N,K,pattern,part,sm_cycles,time_ns,l2_to_sm_bytes,"
                            "l2_sectors_from_sm,dram_read_bytes,tensor_active_percent,kernel,"
                            "cluster,row_us\n"
                         << row << "\n";
    return read_measured_counters(path_).at(0);
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "t.csv";
};

TEST_F(CounterTable, ReadsARow) {
  const MeasuredCounters row =
      first("H200,fp8,128,256,512,2:4,0,40000,20000,3000,9000,500,75.5,k,4,25");
  EXPECT_EQ(row.where.line, 2);
  EXPECT_EQ(row.gpu, "H200");
  EXPECT_EQ(row.problem.dtype, DataType::fp8_e4m3);
  EXPECT_EQ(row.problem.a_pattern.to_string(), "2:4");
  EXPECT_EQ(row.clock_mhz, 2000);
  EXPECT_EQ(row.counted.cycles, 40000);
  EXPECT_EQ(row.counted.sm_bytes, 3000);
  EXPECT_EQ(row.counted.l2_bytes, 9000 * 32 - 128 * 256 * 2) << "sectors without those of C";
  EXPECT_EQ(row.counted.dram_bytes, 500);
  EXPECT_EQ(row.counted.busy, 0.755);
  EXPECT_EQ(row.counted.row_us, 25);
  EXPECT_EQ(row.counted.row_mhz, 1600) << "40,000 cycles in 25 us";
  EXPECT_EQ(row.kernel, "k");
  EXPECT_EQ(row.cluster, 4);
  EXPECT_FALSE(first("H200,fp8,128,256,512,2:4,0,40000,20000,,,,,,,").cluster);
  EXPECT_FALSE(first("H200,fp8,128,256,512,2:4,0,40000,20000,,,,,,0,").cluster) << "no cluster";
  EXPECT_EQ(row.unusable, "");
  EXPECT_NE(first("H200,fp8,128,256,512,2:4,1,40000,20000,,,,,,,").unusable, "");
}

TEST_F(CounterTable, SaysWhatIsMissingOrUnknown) {
  EXPECT_THROW(first("H200,fp8,128,256,512,2:4,0,,20000,,,,,,,"), ConfigError);
  std::ofstream(path_) << "gpu,dtype,M,N,K,pattern,sm_cycles,sm_cycle\n"
                       << "H200,bf16,1,1,1,dense,1,1\n";
  EXPECT_THROW((void)read_measured_counters(path_), ConfigError);
}

CounterRow row_of(const char* pattern, double cycles, double simulated) {
  CounterRow row;
  row.machine = "h200";
  row.measured.pattern = pattern;
  row.measured.problem = {512, 1024, 2048, 1, DataType::bf16};
  if (row.measured.pattern != "dense") row.measured.problem.a_pattern = Pattern{2, 4};
  row.measured.counted.cycles = cycles;
  row.as_measured.counted.cycles = row.chosen.counted.cycles = simulated;
  return row;
}

TEST(CounterSummary, IsOfLongKernelsDenseAndSparse) {
  std::vector<CounterRow> rows{row_of("dense", 40'000, 44'000), row_of("dense", 50'000, 48'000),
                               row_of("dense", 30'000, 60'000), row_of("2:4", 100'000, 130'000)};
  EXPECT_EQ(counter_summary(rows),
            "Of 2 dense kernels of 35,000 cycles and more, simulated cycles are 7.0 % off in the "
            "mean (+3.0 %). Of 1 sparse kernels of 35,000 cycles and more, simulated cycles are "
            "30.0 % off in the mean (+30.0 %).");
  rows.back().measured.counted.row_mhz = 1000;
  rows.back().as_measured.counted.row_mhz = 1100;
  EXPECT_TRUE(
      counter_summary(rows).ends_with(" The clock of 1 of them in a row is 10.0 % off (+10.0 %)."));
  rows.back().skipped = "no";
  EXPECT_TRUE(counter_summary(rows).ends_with("(+3.0 %)."));
  EXPECT_EQ(counter_summary({}), "");
}

TEST(CounterSummary, StandsOnAPageOfItsOwn) {
  ValidationResults results;
  EXPECT_EQ(validation_page(results).back().first, "validation_residuals.csv");
  results.counters = {row_of("dense", 40'000, 44'000)};
  const auto [name, text] = validation_page(results).back();
  EXPECT_EQ(name, "counters.md");
  EXPECT_TRUE(text.starts_with("# Cycles, bytes and clocks beside hardware counters\n\nOf 1 dense"))
      << text;
  EXPECT_NE(text.find("\n\n| rows of | counter |"), std::string::npos);
  EXPECT_NE(validation_page(results).front().second.find("(counters.md)"), std::string::npos);
}

TEST(CounterCells, AreOfEachCounterAndKernel) {
  std::vector<CounterRow> rows{row_of("2:4", 40'000, 44'000), row_of("2:4", 50'000, 48'000),
                               row_of("2:4", 20'000, 30'000), row_of("2:4", 9'000, 30'000)};
  rows[0].chosen.counted.cycles = 60'000;
  rows[1].as_measured.counted.cycles = std::nullopt;
  const std::vector<ErrorCell> cells = counter_cells(rows);
  ASSERT_EQ(cells.size(), 4U) << "the shortest is not scored";
  EXPECT_EQ(cells[0].quantity, "cycles");
  EXPECT_EQ(cells[0].regime, "2:4, short");
  EXPECT_EQ(cells[2].machine, "h200");
  EXPECT_EQ(cells[2].dtype, "bf16");
  EXPECT_EQ(cells[2].regime, "2:4");
  EXPECT_EQ(cells[2].rows, 1);
  EXPECT_NEAR(cells[2].mean_absolute_error, 0.1, 1e-12);
  EXPECT_EQ(cells[3].quantity, "own cycles");
  EXPECT_EQ(cells[3].rows, 2);
  EXPECT_NEAR(cells[3].bias, (0.5 - 0.04) / 2, 1e-12);
}

/// 128x256x64 of 4 x 4 tiles in clusters of two: 41 KiB a k-step and tile. 26.5 of them leave the
/// L2 cache where B is shared.
TEST(CounterValidation, TellsTheKernelThatRanFromTheChosenOne) {
  MeasuredCounters row;
  row.gpu = "H200";
  row.pattern = "2:4";
  row.problem = {512, 1024, 2048, 1, DataType::bf16, Pattern{2, 4}};
  row.counted.cycles = 30000;
  row.kernel = "sm90_xmma_sparse_gemm_t_tilesize128x256x64_cgasize2x1x1_warpgroupsize2x1x1_";
  MeasuredCounters other = row;
  other.kernel = "some_kernel";
  MeasuredCounters counted = row;
  counted.kernel = "sm90_xmma_sparse_gemm_t_tilesize128x256x64_warpgroupsize2x1x1_";
  counted.cluster = 2;
  counted.counted.row_us = 20;
  const auto rows =
      validate_counters({row, other, counted}, {{"H200", load_machine("h200").config}}, {});
  constexpr double kSteps = 4 * 4 * 2048 / 64;
  EXPECT_EQ(rows[0].as_measured.counted.sm_bytes, kSteps * 41 * 1024);
  EXPECT_EQ(rows[0].as_measured.counted.l2_bytes, kSteps * (8 + 1 + 16) * 1024);
  EXPECT_EQ(rows[0].as_measured.kernel_text(), "128x256x64_s5");
  EXPECT_EQ(rows[2].as_measured.counted.cycles, rows[0].as_measured.counted.cycles)
      << "the column says what the name does not";
  EXPECT_FALSE(rows[0].as_measured.counted.row_us);
  const LaunchCounters& in_a_row = rows[2].as_measured.counted;
  ASSERT_TRUE(in_a_row.row_us && in_a_row.row_mhz);
  const double row_cycles = *in_a_row.row_us * *in_a_row.row_mhz;
  EXPECT_LT(row_cycles, *in_a_row.cycles) << "operands are in the L2 cache";
  EXPECT_GT(row_cycles, 0.8 * *in_a_row.cycles);
  EXPECT_EQ(rows[1].no_kernel, "the kernel's name does not say its tile");
  EXPECT_FALSE(rows[1].as_measured.counted.cycles);
  EXPECT_EQ(rows[1].chosen.counted.cycles, rows[0].chosen.counted.cycles);
  EXPECT_NE(rows[0].chosen.counted.cycles, rows[0].as_measured.counted.cycles);
}

/// A board's power is a mean of what runs for milliseconds: BERT's product took 147.0 us within its
/// step and 177.6 us in a row.
TEST(CounterValidation, AProductTakesLongerInARowThanInAStep) {
  auto counted = read_measured_counters(config_directory() / "validation" / "counters.csv");
  std::erase_if(counted, [](const MeasuredCounters& row) {
    return row.problem != GemmProblem{4096, 12288, 1024, 1, DataType::bf16};
  });
  ASSERT_EQ(counted.size(), 1U);
  const auto rows = validate_counters(counted, {{"H200", load_machine("h200").config}}, {});
  EXPECT_NEAR(*rows[0].chosen.counted.row_us, 177.6, 0.06 * 177.6);
  EXPECT_NEAR(*rows[0].as_measured.counted.row_us, 177.6, 0.06 * 177.6);

  const StudyResult step =
      run_study(load_experiment(config_directory() / "experiments" / "quick.yaml",
                                {"machines=[h200]", "networks=[{name: bert_large_s384, batch: 32}]",
                                 "schemes=[dense]", "dtype=bf16", "framework=pytorch_2_eager"}),
                {});
  const auto product = std::ranges::find_if(step.rows, [](const ResultRow& row) {
    return row.layer == "enc.ff1" && row.phase == RowPhase::forward && row.is_gemm();
  });
  ASSERT_NE(product, step.rows.end());
  EXPECT_NEAR(product->time_us, 147.0, 0.06 * 147.0);
}

}  // namespace
}  // namespace stcsim
