#include <gtest/gtest.h>

#include "reports/validation/errors.hpp"

namespace stcsim {
namespace {

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

}  // namespace
}  // namespace stcsim
