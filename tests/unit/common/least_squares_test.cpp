#include "common/least_squares.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

LeastSquaresResult minimise_each(const std::function<Point(const Point&)>& residuals,
                                 const Point& start, double most = 10,
                                 std::size_t iterations = 100) {
  LeastSquares problem;
  problem.most = most;
  problem.iterations = iterations;
  problem.residuals = [&](const std::vector<Point>& points) {
    std::vector<Point> all;
    for (const Point& point : points) all.push_back(residuals(point));
    return all;
  };
  return minimise(problem, start);
}

/// y = a + b x through points that lie beside it: the textbook's line, by the normal equations
/// 4 a + 6 b = 10, 6 a + 14 b = 20.
TEST(LeastSquares, FindsTheLineOfLeastSquares) {
  const auto result = minimise_each(
      [](const Point& at) {
        const Point y{1, 2, 2, 5};
        Point residuals;
        for (std::size_t x = 0; x < y.size(); ++x) {
          residuals.push_back(at[0] + at[1] * static_cast<double>(x) - y[x]);
        }
        return residuals;
      },
      {0, 0});
  EXPECT_NEAR(result.at[0], 0.7, 0.01);
  EXPECT_NEAR(result.at[1], 1.2, 0.01);
}

TEST(LeastSquares, FollowsRosenbrocksValley) {
  const auto result = minimise_each(
      [](const Point& at) {
        return Point{10 * (at[1] - at[0] * at[0]), 1 - at[0]};
      },
      {-1.2, 1});
  EXPECT_NEAR(result.at[0], 1, 0.01);
  EXPECT_NEAR(result.at[1], 1, 0.02);
}

/// As numbers of a machine are rounded: derivatives are zero almost everywhere.
TEST(LeastSquares, CrossesSteps) {
  const auto result = minimise_each(
      [](const Point& at) {
        const double rounded = std::round(30 * std::exp(at[0]));
        return Point{std::log(rounded / 47), std::log((rounded + 100) / 147)};
      },
      {0});
  EXPECT_EQ(std::round(30 * std::exp(result.at[0])), 47);
}

TEST(LeastSquares, StaysWithinItsBounds) {
  const auto result = minimise_each(
      [](const Point& at) {
        return Point{at[0] - 5, at[1] + 5};
      },
      {0, 0}, 2);
  EXPECT_EQ(result.at, (Point{2, -2}));
}

TEST(LeastSquares, LeavesWhatNothingDependsOnAndSaysSo) {
  const auto result = minimise_each(
      [](const Point& at) {
        return Point{at[1] - 0.5, at[1] - 0.7};
      },
      {0.25, 0});
  EXPECT_EQ(result.at[0], 0.25);
  EXPECT_NEAR(result.at[1], 0.6, 1e-3);
  EXPECT_EQ(result.influence[0], 0);
  EXPECT_NEAR(result.influence[1], std::sqrt(2), 1e-9);
}

}  // namespace
}  // namespace stcsim
