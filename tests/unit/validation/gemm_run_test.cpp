#include "reports/validation/gemm_run.hpp"

#include <gtest/gtest.h>

#include "sim/run/sustained_clock.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

MeasuredGemm gemm(std::int64_t k, Pattern pattern) {
  MeasuredGemm gemm;
  gemm.gpu = "tiny";
  gemm.problem.m = gemm.problem.n = 32;
  gemm.problem.k = k;
  gemm.problem.a_pattern = pattern;
  gemm.measured = {10.0, 5.0, 2.0};
  return gemm;
}

/// Its sparse tiles have 16 rows, and gather columns.
MachineConfig gathering_machine() {
  MachineConfig machine = test::tiny_machine();
  for (KernelConfig& kernel : machine.kernels) kernel.column_index_bytes = kernel.sparse ? 4 : 0;
  return machine;
}

/// 75 columns in groups of 10 keep 8 x 4, and their 32 indices are waited for.
TEST(GemmValidation, BlocksOfColumnsRunAsTheyAreSelected) {
  const auto rows = validate_gemms(
      {gemm(75, {2, 10, 1, 0, 16}), gemm(32, {2, 4}), gemm(75, kDense), gemm(75, {2, 10, 1, 0, 8})},
      {{"tiny", gathering_machine()}}, {});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_GT(*rows[0].simulated.sparse_us, *rows[1].simulated.sparse_us);
  EXPECT_LT(*rows[0].simulated.sparse_us, *rows[0].simulated.dense_us);
  EXPECT_EQ(rows[0].roofline.sparse_us, rows[1].roofline.sparse_us);
  EXPECT_EQ(rows[0].tiles.sparse_us, rows[1].tiles.sparse_us);
  EXPECT_EQ(rows[0].simulated.dense_us, rows[2].simulated.dense_us);
  EXPECT_EQ(*rows[0].simulated.speedup, *rows[0].simulated.dense_us / *rows[0].simulated.sparse_us);
  EXPECT_EQ(rows[0].command,
            "stcsim gemm --arch tiny --m 32 --n 32 --k 75 --dtype fp16 --sparsity 16:2:10 --stack "
            "best --method events");
  EXPECT_EQ(rows[3].skipped,
            "no kernel of tiny gathers columns in tiles whose rows divide 8; 2:10 does not fit 2:4 "
            "hardware");
  EXPECT_EQ(rows[3].command, "");
  EXPECT_EQ(rows[3].simulated, GemmTimes());
}

/// Half the clock of the SMs; DRAM and launches keep their times, in the models beside it too.
TEST(GemmValidation, TheClockIsTheRows) {
  MeasuredGemm at_half = gemm(64, {2, 4});
  at_half.clock_mhz = 500;
  const MachineConfig tiny = test::tiny_machine();
  const auto rows = validate_gemms({at_half, gemm(64, {2, 4})}, {{"tiny", tiny}}, {});
  const auto slow = validate_gemms({gemm(64, {2, 4})}, {{"tiny", at_clock(tiny, 500)}}, {});
  EXPECT_EQ(rows[0].simulated, slow[0].simulated);
  EXPECT_EQ(rows[0].roofline, slow[0].roofline);
  EXPECT_EQ(rows[0].tiles, slow[0].tiles);
  EXPECT_GT(*rows[0].simulated.dense_us, *rows[1].simulated.dense_us);
  EXPECT_EQ(rows[0].command, rows[1].command + " --clock 500");
}

TEST(GemmValidation, SaysWhatBecameOfTheTime) {
  const auto rows = validate_gemms({gemm(64, {2, 4})}, {{"tiny", test::tiny_machine()}}, {});
  const ValidationRow& row = rows.front();
  EXPECT_EQ(row.dense_kernel.name.substr(0, 5), "dense");
  EXPECT_EQ(row.sparse_kernel.name, "sparse");
  EXPECT_NE(row.sparse_kernel.bound_by, "");
  EXPECT_NE(row.dense_kernel.waits.find("tensor_core "), std::string::npos);
  EXPECT_EQ(*row.tiles.speedup, *row.tiles.dense_us / *row.tiles.sparse_us);
}

/// A host that takes 9 us to launch measures nothing shorter, and what is longer as it is.
TEST(GemmValidation, NoTimeIsLessThanTheHostTakes) {
  constexpr double kLeastUs = 9;
  ValidationOptions options;
  options.timing_methods["slow"] = {.name = "slow", .least_us = kLeastUs};
  const auto simulated = [&](std::int64_t k, const std::string& timing) {
    MeasuredGemm row = gemm(k, {2, 4});
    row.timing = timing;
    return validate_gemms({row}, {{"tiny", test::tiny_machine()}}, options).front().simulated;
  };
  EXPECT_LT(*simulated(64, "loop").dense_us, kLeastUs);
  EXPECT_EQ(*simulated(64, "slow").dense_us, kLeastUs);
  EXPECT_EQ(*simulated(64, "slow").speedup, 1.0);
  EXPECT_GT(*simulated(8192, "loop").sparse_us, kLeastUs);
  EXPECT_EQ(*simulated(8192, "slow").sparse_us, *simulated(8192, "loop").sparse_us);
}

MeasuredGemm named(const std::string& timing, const std::string& stack) {
  MeasuredGemm gemm;
  gemm.where = {"t.csv", 7, 1};
  gemm.gpu = "X";
  gemm.timing = timing;
  gemm.stack = stack;
  return gemm;
}

std::string fault_of(const MeasuredGemm& gemm) {
  try {
    check_names(gemm, {{"X", test::tiny_machine()}}, {{"loop", {}}, {"events", {}}});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(RowChecks, TimingsAndStacksMustBeThere) {
  EXPECT_EQ(fault_of(named("loop", "")), "");
  EXPECT_EQ(fault_of(named("lop", "")),
            "t.csv:7:1: error: timing is 'lop', must be empty or one of events, loop");
  EXPECT_NE(fault_of(named("loop", "z")).find("t.csv:7:1: error: stack is 'z', must be empty"),
            std::string::npos);
  MeasuredGemm elsewhere = named("loop", "z");
  elsewhere.gpu = "Y";
  EXPECT_EQ(fault_of(elsewhere), "");
}

TEST(RowChecks, RightRowsAreKeptInTheirOrder) {
  std::vector<int> rows{1, 2, 3, 4};
  std::vector<ConfigError> bad_rows;
  keep_right(rows, bad_rows, [](int row) {
    if (row % 2 == 0) throw ConfigError("even " + std::to_string(row));
  });
  EXPECT_EQ(rows, (std::vector<int>{1, 3}));
  ASSERT_EQ(bad_rows.size(), 2U);
  EXPECT_STREQ(bad_rows[1].what(), "error: even 4");
}

/// Below a tenth is left out; the largest first.
TEST(UnitWaits, NameTheLargestBuckets) {
  EXPECT_EQ(unit_waits({{"core", 1, {{"busy", 10}, {"waiting", 81}, {"blocked", 9}}},
                        {"dram", 2, {{"busy", 50}, {"idle", 50}}}}),
            "core waiting 81 %, busy 10 %; dram busy 50 %, idle 50 %");
}

TEST(UnitWaits, LeaveOutUnitsWithNothingToDo) {
  EXPECT_EQ(unit_waits({{"selector", 4, {{"busy", 0}, {"starved", 100}}},
                        {"vector", 4, {{"busy", 0}, {"idle", 100}}},
                        {"bus", 1, {{"busy", 9}, {"idle", 91}}},
                        {"dram", 1, {{"busy", 10}, {"idle", 90}}}}),
            "dram idle 90 %, busy 10 %");
  EXPECT_EQ(unit_waits({}), "");
}

GemmProblem problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return problem;
}

/// 256 multiply-accumulates per clk at 1000 MHz: 128 x 128 x 512 take 32,768 cycles.
TEST(PlainModels, MultiplyAtPeakRate) {
  const MachineConfig machine = test::tiny_machine();
  EXPECT_DOUBLE_EQ(roofline_us(problem(128, 128, 512), machine), 32.768);
  EXPECT_DOUBLE_EQ(tile_model_us(problem(128, 128, 512), machine), 32.768);
  GemmProblem sparse = problem(128, 128, 512);
  sparse.a_pattern = {2, 4};
  EXPECT_DOUBLE_EQ(roofline_us(sparse, machine), 16.384);
  EXPECT_DOUBLE_EQ(tile_model_us(sparse, machine), 16.384);
}

/// One row more is one tile more, and a wave of one SM more; three SMs take four tiles in two.
TEST(PlainModels, TilesAndWavesAreWhole) {
  MachineConfig machine = test::tiny_machine();
  EXPECT_DOUBLE_EQ(roofline_us(problem(129, 128, 512), machine), 33.024);
  EXPECT_DOUBLE_EQ(tile_model_us(problem(129, 128, 512), machine), 65.536);
  GemmProblem batch = problem(128, 128, 512);
  batch.batch_count = 4;
  machine.accelerator.num_sms = 3;
  EXPECT_DOUBLE_EQ(tile_model_us(batch, machine), 65.536);
}

/// 64 bytes per clk: A and B of 16 x 64 take 2,048 bytes each, C 512, half of A is not there if it
/// is 2:4. A tile costs 4,096 cycles however little of it is there.
TEST(PlainModels, EveryByteIsMovedOnce) {
  const MachineConfig machine = test::tiny_machine();
  GemmProblem small = problem(16, 16, 64);
  EXPECT_DOUBLE_EQ(roofline_us(small, machine), 0.072);
  EXPECT_DOUBLE_EQ(tile_model_us(small, machine), 4.096);
  small.a_pattern = {2, 4};
  EXPECT_DOUBLE_EQ(roofline_us(small, machine), 0.056);
  EXPECT_DOUBLE_EQ(tile_model_us(problem(128, 128, 1), machine), 0.52);
}

}  // namespace
}  // namespace stcsim
