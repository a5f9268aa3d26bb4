#include "reports/validation/counter_baselines.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "reports/validation/counted_k_steps.hpp"

namespace stcsim {
namespace {

constexpr double kPerElement = 1e-4;

/// A launch of 128x256 tiles whose simulated cycles are a tenth too many, and a roofline's half.
CounterRow launch(std::int64_t m, std::int64_t n, std::int64_t k, double cycles, RowUse use) {
  CounterRow row;
  row.machine = "h200";
  row.measured.pattern = "2:4";
  row.measured.problem = {m, n, k, 1, DataType::bf16, Pattern{2, 4}};
  row.measured.kernel = "sm90_xmma_sparse_gemm_t_tilesize128x256x64_cgasize2x1x1_";
  row.measured.use = use;
  row.measured.counted.cycles = cycles;
  row.as_measured.counted.cycles = row.chosen.counted.cycles = 1.1 * cycles;
  row.roofline_cycles = cycles / 2;
  return row;
}

/// Rows that are looked at, and two that are not, whose cycles go as M, the square root of N, and
/// K.
std::vector<CounterRow> rows_of_a_law() {
  const auto of = [](std::int64_t m, std::int64_t n, std::int64_t k, RowUse use) {
    const double cycles = kPerElement * static_cast<double>(m) * static_cast<double>(k) *
                          std::sqrt(static_cast<double>(n) / 1000);
    return launch(m, n, k, cycles * 1000, use);
  };
  return {of(1000, 1000, 1000, RowUse::fitting), of(2300, 1000, 1000, RowUse::fitting),
          of(1000, 2100, 1000, RowUse::fitting), of(1000, 1000, 2000, RowUse::fitting),
          of(3000, 2000, 1000, RowUse::fitting), of(1000, 5000, 3000, RowUse::fitting),
          of(2000, 2000, 2000, RowUse::testing), of(1000, 4800, 3000, RowUse::testing)};
}

TEST(CounterBaselines, KnowOnlyTheRowsThatWereLookedAt) {
  const BaselineErrors errors = baseline_errors(rows_of_a_law(), true);
  EXPECT_EQ(errors.simulated.rows, 2);
  EXPECT_NEAR(errors.simulated.mean_absolute, 0.1, 1e-12);
  EXPECT_NEAR(errors.roofline.bias, -0.5, 1e-12);
  // What a law says, a regression finds.
  EXPECT_NEAR(errors.regression.mean_absolute, 0, 1e-6);
  // That of 3000 x 2000 x 1000, which has the same N, is right; that of N = 5000 for 4800 is not.
  EXPECT_NEAR(errors.nearest.mean_absolute, (1 - std::sqrt(4800.0 / 5000)) / 2, 1e-9);
  EXPECT_EQ(baseline_errors(rows_of_a_law(), false).simulated.rows, 0);
}

/// Four tiles on three SMs, two after each other on one: 8 k-steps more take 8,000 cycles.
TEST(CountedKSteps, AreOfTheLeastAndTheMostK) {
  std::vector<CounterRow> rows{launch(256, 512, 1024, 40'000, RowUse::fitting),
                               launch(256, 512, 512, 32'000, RowUse::fitting),
                               launch(256, 512, 768, 90'000, RowUse::fitting),
                               launch(128, 512, 512, 50'000, RowUse::fitting)};
  for (CounterRow& row : rows) {
    row.as_measured.kernel.tile_k = 64;
    row.as_measured.kernel.waves = 4.0 / 3;
    row.as_measured.counted.busy = 0.5;
  }
  const std::vector<CountedKStep> steps = counted_k_steps(rows);
  ASSERT_EQ(steps.size(), 1U) << "another C has one K only";
  EXPECT_EQ(steps[0].first->measured.problem.k, 512);
  EXPECT_EQ(steps[0].last->measured.problem.k, 1024);
  EXPECT_EQ(steps[0].tiles_in_turn, 2);
  EXPECT_DOUBLE_EQ(steps[0].counted_cycles, 500);
  EXPECT_NEAR(steps[0].error(), 0.1, 1e-12);
  EXPECT_NEAR(steps[0].multiply_cycles, 550 * 0.5 * 1.5, 1e-9);
  rows[1].measured.counted.cycles = 9'000;
  rows[2].measured.counted.cycles = 9'000;
  EXPECT_TRUE(counted_k_steps(rows).empty()) << "too short";
}

/// "256x128" has 256 columns of C and 128 rows.
TEST(CounterBaselines, CountTilesAsTheKernelLiesOnC) {
  std::vector<CounterRow> rows;
  const auto add = [&](std::int64_t m, std::int64_t n, std::int64_t k, RowUse use) {
    const std::int64_t tiles = ((m + 127) / 128) * ((n + 255) / 256);
    rows.push_back(launch(m, n, k, static_cast<double>(100 * tiles * k), use));
    rows.back().measured.pattern = "dense";
    rows.back().measured.problem.a_pattern = kDense;
    rows.back().measured.kernel = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT";
  };
  add(130, 500, 1000, RowUse::fitting);
  add(100, 300, 2000, RowUse::fitting);
  add(700, 260, 1000, RowUse::fitting);
  add(400, 1000, 500, RowUse::fitting);
  add(900, 900, 900, RowUse::fitting);
  add(300, 1300, 700, RowUse::fitting);
  add(150, 270, 1500, RowUse::testing);
  EXPECT_NEAR(baseline_errors(rows, false).regression.mean_absolute, 0, 1e-6);
}

TEST(CounterBaselines, LeaveOutShortOnesAndKindsOfFewRows) {
  std::vector<CounterRow> rows = rows_of_a_law();
  rows.back().measured.counted.cycles = kLongCycles - 1;
  EXPECT_EQ(baseline_errors(rows, true).simulated.rows, 1);
  rows.back() = rows[6];
  rows.back().measured.kernel += "execute_segment_k_on_kernel";
  EXPECT_EQ(baseline_errors(rows, true).simulated.rows, 1);
  rows.back() = rows[6];
  rows.back().measured.problem.dtype = DataType::fp16;  // of which none was looked at
  EXPECT_EQ(baseline_errors(rows, true).simulated.rows, 1);
  rows.front().measured.use = RowUse::shown;
  EXPECT_EQ(baseline_errors(rows, true).simulated.rows, 0);
}

TEST(CounterBaselines, StandBesideTheSimulator) {
  EXPECT_EQ(baseline_table(rows_of_a_law()).to_markdown(),
            "| cycles of | rows | simulated | roofline | nearest GEMM | regression |\n"
            "|---|---:|---:|---:|---:|---:|\n"
            "| sparse kernels | 2 | 10.0 % | 50.0 % | 1.0 % | 0.0 % |\n");
}

}  // namespace
}  // namespace stcsim
