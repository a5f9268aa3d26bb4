#include <gtest/gtest.h>

#include "reports/validation/errors.hpp"

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

}  // namespace
}  // namespace stcsim
