#include "reports/validation/errors.hpp"

#include <gtest/gtest.h>

#include "reports/validation/cells.hpp"

namespace stcsim {
namespace {

/// +25 %, -25 % and +50 %.
TEST(ErrorStatistics, AreMeansOfTheErrors) {
  const ErrorSummary summary = error_statistics({{4.0, 5.0}, {8.0, 6.0}, {2.0, 3.0}});
  EXPECT_EQ(summary.rows, 3);
  EXPECT_DOUBLE_EQ(summary.mean_absolute, 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(summary.bias, 0.5 / 3.0);
}

TEST(ErrorStatistics, OfNothingAreNothing) {
  const ErrorSummary summary = error_statistics({});
  EXPECT_EQ(summary.rows, 0);
  EXPECT_EQ(summary.mean_absolute, 0.0);
  EXPECT_EQ(summary.correlation, std::nullopt);
}

/// Equal values have no correlation.
TEST(ErrorStatistics, CorrelateMeasuredWithPredicted) {
  EXPECT_DOUBLE_EQ(*error_statistics({{1.0, 6.0}, {2.0, 4.0}, {3.0, 2.0}}).correlation, -1.0);
  EXPECT_EQ(error_statistics({{1.0, 6.0}, {1.0, 4.0}}).correlation, std::nullopt);
}

TEST(Interval, ReadsValuesRangesAndUpperEnds) {
  EXPECT_EQ(interval_from_string("1.5"), (Interval{1.5, 1.5}));
  EXPECT_EQ(interval_from_string("1.3-1.5"), (Interval{1.3, 1.5}));
  EXPECT_EQ(interval_from_string("up to 1.85"), (Interval{std::nullopt, 1.85}));
}

TEST(Interval, RefusesEverythingElse) {
  for (const char* const text : {"", "fast", "1.5x", "1.5-", "-1.5", "1.5-1.3", "0", "up to",
                                 "up to ", "up to x", "1-2-3", "nan", "inf", " 1"}) {
    EXPECT_EQ(interval_from_string(text), std::nullopt) << text;
  }
}

TEST(Interval, WhatLiesInsideHasNoDistance) {
  EXPECT_EQ(distance_from({1.3, 1.5}, {1.3, 1.5}), 0.0);
  EXPECT_EQ(distance_from({1.35, 1.4}, {1.3, 1.5}), 0.0);
  EXPECT_EQ(distance_from({1.2, 1.2}, {std::nullopt, 1.3}), 0.0);
  EXPECT_EQ(distance_from({1.3, 1.3}, {1.3, 1.3}), 0.0);
}

/// Overlapping is not enough: every simulated value has to lie in the published range.
TEST(Interval, DistanceIsThatOfTheEndFurthestOutside) {
  EXPECT_DOUBLE_EQ(*distance_from({1.1, 1.4}, {1.3, 1.5}), 1.1 / 1.3 - 1.0);
  EXPECT_DOUBLE_EQ(*distance_from({1.4, 1.8}, {1.3, 1.5}), 1.8 / 1.5 - 1.0);
  EXPECT_DOUBLE_EQ(*distance_from({1.2, 1.8}, {1.3, 1.5}), 1.8 / 1.5 - 1.0);
  EXPECT_DOUBLE_EQ(*distance_from({1.0, 1.2}, {1.5, 2.0}), 1.0 / 1.5 - 1.0);
  EXPECT_DOUBLE_EQ(*distance_from({3.0, 4.0}, {1.5, 2.0}), 1.0);
  EXPECT_DOUBLE_EQ(*distance_from({1.2, 1.6}, {std::nullopt, 1.28}), 0.25);
}

TEST(Interval, AnEmptyRangeHasNoDistance) {
  EXPECT_EQ(distance_from({}, {1.0, 2.0}), std::nullopt);
  EXPECT_EQ(distance_from({1.0, 2.0}, {}), std::nullopt);
}

TEST(ValidationCells, ShowErrorsTimesAndValues) {
  EXPECT_EQ(error_cell(0.0174), "+1.7 %");
  EXPECT_EQ(error_cell(-0.5), "-50.0 %");
  EXPECT_EQ(error_cell(std::nullopt), "-");
  EXPECT_EQ(time_cell(1234.5), "1.23 ms");
  EXPECT_EQ(time_cell(std::nullopt), "-");
  EXPECT_EQ(value_cell(24.7), "24.7");
  EXPECT_EQ(value_cell(std::nullopt), "-");
}

TEST(ValidationCells, ShowRanges) {
  EXPECT_EQ(speedup_cell({1.5, 1.5}), "1.50x");
  EXPECT_EQ(speedup_cell({1.3, 1.5}), "1.30-1.50x");
  EXPECT_EQ(speedup_cell({std::nullopt, 1.3}), "up to 1.30x");
  EXPECT_EQ(speedup_cell({1.3, std::nullopt}), "from 1.30x");
  EXPECT_EQ(speedup_cell({}), "-");
}

TEST(ValidationCells, ASentenceForEachReason) {
  EXPECT_EQ(skipped_sentences({{"b", "4"}, {"", "5"}, {"a", "6"}, {"b", "7"}}),
            (std::vector<std::string>{"skipped 1 row, the first in line 6: a",
                                      "skipped 2 rows, the first in line 4: b"}));
}

}  // namespace
}  // namespace stcsim
