#include <gtest/gtest.h>

#include "reports/tta/tta_report.hpp"

namespace stcsim {
namespace {

TEST(FormatHours, ChoosesTheUnit) {
  EXPECT_EQ(format_hours(9.314), "9.31 h");
  EXPECT_EQ(format_hours(1), "1.00 h");
  EXPECT_EQ(format_hours(0.5), "30.0 min");
  EXPECT_EQ(format_hours(12.5 / 3600), "12.5 s");
}

TEST(FormatHours, OfARangeAreInTheUnitOfItsLowerEnd) {
  EXPECT_EQ(format_hours_range({0.5, 0.75}), "30.0..45.0 min");
  EXPECT_EQ(format_hours_range({0.5, 1.25}), "30.0..75.0 min");
  EXPECT_EQ(format_hours_range({2, 3}), "2.00..3.00 h");
}

TEST(FormatApart, SaysWhereRunsAreTooFew) {
  EXPECT_EQ(format_apart({.p_value = 0.04, .least_p = 0.01}), "they differ");
  EXPECT_EQ(format_apart({.p_value = 0.05, .least_p = 0.01}), "cannot be told apart");
  EXPECT_EQ(format_apart({.p_value = 0.1, .least_p = 0.1}), "too few runs");
}

TEST(FormatTraining, ShortensLargeNumbers) {
  EXPECT_EQ(format_training(34.875), "34.88");
  EXPECT_EQ(format_training(2665600), "2.67 M");
  EXPECT_EQ(format_training(12345), "12,345");
}

}  // namespace
}  // namespace stcsim
