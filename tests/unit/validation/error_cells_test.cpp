#include "reports/validation/error_cells.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/unit/validation/sample_rows.hpp"

namespace stcsim {
namespace {

using test::dense_row;

TEST(ErrorCells, AreOfScoredRowsFromTwentyMicrosecondsOn) {
  ValidationResults results;
  results.blind.dense.half = 0.5;
  results.gemms = {dense_row(100, 110), dense_row(100, 200), dense_row(10, 10),
                   dense_row(100, 500)};
  results.gemms[1].gemm.problem.m = 128;
  results.gemms[3].gemm.use = RowUse::shown;
  const std::vector<ErrorCell> cells = error_cells(results);
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].machine + cells[0].dtype + cells[0].quantity, "xfp16dense");
  EXPECT_EQ(cells[0].errors.rows, 2);
  EXPECT_DOUBLE_EQ(cells[0].errors.mean_absolute, 0.55);
  EXPECT_EQ(cells[0].half_width, 0.5) << "two rows are too few";
  EXPECT_EQ(cells[0].inside_as_blind, 0.5);
  EXPECT_GT(cells[0].inside_left_out.value(), 0.0) << "the first, when the second is kept";
  EXPECT_LT(cells[0].inside_left_out.value(), 1.0);
}

TEST(ErrorCells, OfStepsAndOtherKernelsHaveNoType) {
  ValidationResults results;
  NetworkRow step;
  step.machine = "x";
  step.measured.measured.dense_us = 100;
  step.simulated.dense_us = 110;
  results.networks = {step};
  StreamRow stream;
  stream.machine = "y";
  stream.measured.time_us = 100;
  stream.time_us = 90;
  results.streams = {stream};
  const std::vector<ErrorCell> cells = error_cells(results);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].machine + cells[0].dtype + cells[0].quantity, "xstep");
  EXPECT_EQ(cells[1].machine + cells[1].dtype + cells[1].quantity, "ystream");
  EXPECT_NEAR(cells[1].errors.bias, -0.1, 1e-12);
  EXPECT_FALSE(cells[1].inside_as_blind);
}

TEST(GroupOf, IsTheNetworkElseTheShapeOfA) {
  MeasuredGemm gemm;
  gemm.problem.m = 64;
  gemm.problem.k = 32;
  EXPECT_EQ(group_of(gemm), "64x32");
  gemm.note = "batch 1";
  EXPECT_EQ(group_of(gemm), "64x32");
  gemm.note = "Llama3.2-1B-INT8";
  EXPECT_EQ(group_of(gemm), "Llama3.2-1B-INT8");
}

/// Two groups of 20 rows: the interval of one, as wide as its largest error, holds the other or it
/// does not. Each is kept in some of the draws.
TEST(InsideLeftOut, IsOfTheOtherHalf) {
  std::vector<GroupedError> errors(40, {"a", 0.1});
  EXPECT_FALSE(inside_left_out(errors, 1));
  for (std::size_t at = 20; at < 40; ++at) errors[at].group = "b";
  EXPECT_EQ(inside_left_out(errors, 1), 1.0);
  for (std::size_t at = 20; at < 40; ++at) errors[at].log_error = -0.2;
  const double inside = inside_left_out(errors, 1).value();
  EXPECT_GT(inside, 0.0);
  EXPECT_LT(inside, 1.0);
  EXPECT_NEAR(inside * kDraws, std::round(inside * kDraws), 1e-9);
}

TEST(InsideLeftOut, OfFewRowsIsABlindCards) {
  const std::vector<GroupedError> errors{{"a", 0.1}, {"b", -0.2}};
  EXPECT_EQ(inside_left_out(errors, 0.2), 1.0);
  EXPECT_LT(inside_left_out(errors, 0.15), 1.0);
}

}  // namespace
}  // namespace stcsim
