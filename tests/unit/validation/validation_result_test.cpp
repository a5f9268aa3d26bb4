#include <gtest/gtest.h>

#include "reports/validation/gemm_rows.hpp"

namespace stcsim {
namespace {

ValidationRow row(const std::string& gpu, std::optional<double> measured,
                  std::optional<double> simulated) {
  ValidationRow row;
  row.gemm.gpu = gpu;
  row.gemm.measured.dense_us = measured;
  row.simulated.dense_us = simulated;
  return row;
}

TEST(ValidationResult, ErrorsAreSignedFractionsOfTheMeasured) {
  EXPECT_DOUBLE_EQ(*relative_error(5.0, 4.0), 0.25);
  EXPECT_DOUBLE_EQ(*relative_error(3.0, 4.0), -0.25);
  EXPECT_EQ(relative_error(std::nullopt, 4.0), std::nullopt);
  EXPECT_EQ(relative_error(3.0, std::nullopt), std::nullopt);
}

/// Errors +25 %, -25 % and +50 %; the third belongs to another GPU, the last was not measured.
TEST(ValidationResult, SummarisesTheErrorsOfAGpuAndOfAll) {
  const std::vector<ValidationRow> rows{row("x", 4.0, 5.0), row("x", 8.0, 6.0), row("y", 2.0, 3.0),
                                        row("x", std::nullopt, 1.0)};
  const ErrorSummary x = summarise_errors(rows, {"x"}, GemmFigure::dense);
  EXPECT_EQ(x.rows, 2);
  EXPECT_DOUBLE_EQ(x.mean_absolute, 0.25);
  EXPECT_DOUBLE_EQ(x.bias, 0.0);
  EXPECT_DOUBLE_EQ(*x.correlation, 1.0);
  const ErrorSummary all = summarise_errors(rows, {}, GemmFigure::dense);
  EXPECT_EQ(all.rows, 3);
  EXPECT_DOUBLE_EQ(all.mean_absolute, 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(all.bias, 0.5 / 3.0);
  EXPECT_EQ(summarise_errors(rows, {}, GemmFigure::sparse).rows, 0);
}

/// Rows that are only shown count in no score, but in one of their own.
TEST(ValidationResult, RowsThatAreOnlyShownStandApart) {
  std::vector<ValidationRow> rows{row("x", 4.0, 5.0), row("x", 1.0, 9.0)};
  rows[0].gemm.use = RowUse::fitting;
  rows[1].gemm.use = RowUse::shown;
  EXPECT_EQ(summarise_errors(rows, {}, GemmFigure::dense).rows, 1);
  EXPECT_EQ(summarise_errors(rows, {"x"}, GemmFigure::dense).rows, 1);
  EXPECT_EQ(summarise_errors(rows, {"", RowUse::shown}, GemmFigure::dense).bias, 8.0);
  std::vector<std::string> names;
  for (const NamedSelection& one : reported_selections(rows)) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "all", "all, fitting", "all, testing",
                                             "all, not scored", "all, by a roofline"}));
}

/// They count among all rows, and have a line of their own.
TEST(ValidationResult, RowsOfSelectedColumnsHaveALineOfTheirOwn) {
  std::vector<ValidationRow> rows{row("x", 4.0, 5.0), row("x", 1.0, 2.0)};
  rows[1].gemm.problem.a_pattern = {2, 10, 1, 0, 128};
  const auto selections = reported_selections(rows);
  std::vector<std::string> names;
  for (const NamedSelection& one : selections) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "all", "all, V:2:m", "all, by a roofline"}));
  EXPECT_EQ(summarise_errors(rows, selections[1].selection, GemmFigure::dense).rows, 2);
  EXPECT_EQ(summarise_errors(rows, selections[2].selection, GemmFigure::dense).rows, 1);
  EXPECT_EQ(summarise_errors(rows, selections[2].selection, GemmFigure::dense).bias, 1.0);
}

/// x = 1, 2, 3 against y = 1, 3, 2: covariance 1, variances 2 and 2, so r = 1/2.
TEST(ValidationResult, CorrelatesMeasuredWithSimulated) {
  const std::vector<ValidationRow> rows{row("x", 1.0, 1.0), row("x", 2.0, 3.0), row("x", 3.0, 2.0)};
  EXPECT_DOUBLE_EQ(*summarise_errors(rows, {}, GemmFigure::dense).correlation, 0.5);
  EXPECT_EQ(summarise_errors({rows[0]}, {}, GemmFigure::dense).correlation, std::nullopt);
}

}  // namespace
}  // namespace stcsim
