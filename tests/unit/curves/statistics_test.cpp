// Crossings, bootstrap, permutation test and break-even, against figures worked out by hand.
#include "curves/statistics.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curves/analysis.hpp"
#include "curves/run.hpp"
#include "curves/time_to_accuracy.hpp"

namespace stcsim::curves {
namespace {

Curve curve_of(std::vector<double> values) {
  Curve curve{"accuracy", Axis::epochs, {}};
  for (const double value : values) {
    curve.points.push_back({static_cast<double>(curve.points.size() + 1), value});
  }
  return curve;
}

curves::Run run_of(std::vector<double> values) {
  return {"run", "csv", {curve_of(std::move(values))}};
}

TEST(FirstCrossing, IsTheFirstMeasuredPointAtOrAbove) {
  const Curve curve = curve_of({10, 49.999, 50, 40, 60});
  EXPECT_EQ(first_crossing(curve, {50, false}), 3.0);
  EXPECT_EQ(first_crossing(curve, {50.001, false}), 5.0);
  EXPECT_EQ(first_crossing(curve, {10, false}), 1.0);
  EXPECT_EQ(first_crossing(curve, {60.001, false}), std::nullopt);
}

TEST(FirstCrossing, OfAMetricThatFalls) {
  const Curve curve = curve_of({3, 2, 1, 2});
  EXPECT_EQ(first_crossing(curve, {2, true}), 2.0);
  EXPECT_EQ(first_crossing(curve, {1.5, true}), 3.0);
  EXPECT_EQ(first_crossing(curve, {0.5, true}), std::nullopt);
}

TEST(Smoothed, IsTheMeanOfAsManyPointsOnEitherSide) {
  const std::vector<Point> means = smoothed(curve_of({0, 6, 0, 6, 3}).points, 3);
  EXPECT_EQ(means, (std::vector<Point>{{1, 0}, {2, 2}, {3, 4}, {4, 3}, {5, 3}}));
  EXPECT_EQ(smoothed(curve_of({0, 6, 0, 6, 3}).points, 5)[2], (Point{3, 3}));
  EXPECT_EQ(smoothed(curve_of({0, 6, 0, 6, 3}).points, 5)[1], (Point{2, 2}));
}

TEST(Smoothed, OfOnePointAndAStraightLineChangesNothing) {
  const std::vector<Point> line = curve_of({1, 2, 3, 4, 5, 6}).points;
  EXPECT_EQ(smoothed(line, 5), line);
  EXPECT_EQ(smoothed(line, 1), line);
  EXPECT_EQ(smoothed({{7, 8}}, 5), (std::vector<Point>{{7, 8}}));
  EXPECT_THROW(static_cast<void>(smoothed(line, 4)), std::invalid_argument);
}

/// Means of three: 0, 2, 4, 3, 3.
TEST(SmoothedCrossing, LiesOnTheLineBetweenTheMeans) {
  const Curve curve = curve_of({0, 6, 0, 6, 3});
  EXPECT_EQ(smoothed_crossing(curve, {3, false}, 3), 2.5);
  EXPECT_EQ(smoothed_crossing(curve, {0.5, false}, 3), 1.25);
  EXPECT_EQ(smoothed_crossing(curve, {0, false}, 3), 1.0);
  EXPECT_EQ(smoothed_crossing(curve, {5, false}, 3), std::nullopt);
  EXPECT_EQ(smoothed_crossing(curve_of({4, 2, 0}), {1, true}, 3), 2.5);
}

TEST(Bootstrap, OfOneRunThereIsNone) {
  EXPECT_EQ(bootstrap_interval({3}, 1), std::nullopt);
  EXPECT_EQ(spread_of({3}, 1).interval, std::nullopt);
}

/// Draws of two: a a, a b, b a, b b. Each is more than 2.5 % of them.
TEST(Bootstrap, OfTwoRunsItIsFromOneToTheOther) {
  EXPECT_EQ(bootstrap_interval({5, 3}, 1), (Interval{3, 5}));
}

/// 27 draws of 0, 0, 27; 0.675 of them at either end, so none is left out: from 0 to 27.
/// 256 draws of four, 6.4 at either end: of 0, 1, 2, 3, in sums, 1 has the sum 0, 4 have 1, 10 have
/// 2, so the seventh has 2 and its mean is 1/2; by symmetry the other end is 5/2.
/// 3125 draws of five, 78.1 at either end: of 0, 0, 0, 0, 1 the sum has k ones in C(5,k) 4^(5-k)
/// draws: 1024, 1280, 640, 160, 20, 1; so the 79th is 0, and from above the 79th is 3.
TEST(Bootstrap, OfUpToFiveRunsAllDrawsAreCounted) {
  EXPECT_EQ(bootstrap_interval({0, 0, 27}, 1), (Interval{0, 27}));
  EXPECT_EQ(bootstrap_interval({0, 1, 2, 3}, 1), (Interval{0.5, 2.5}));
  EXPECT_EQ(bootstrap_interval({0, 0, 1, 0, 0}, 1), (Interval{0, 0.6}));
}

/// Of n equally likely 0 and 1 the drawn mean is binomial; n = 40, p = 1/2: P(X <= 13) = 0.0192,
/// P(X <= 14) = 0.0403 (from the binomial's sums), so the 2.5 % point is 14/40.
TEST(Bootstrap, OfManyRunsIsTheQuantileOfTheBinomial) {
  std::vector<double> values(40, 0.0);
  std::fill_n(values.begin(), 20, 1.0);
  EXPECT_EQ(bootstrap_interval(values, 1), (Interval{0.35, 0.65}));
  EXPECT_EQ(bootstrap_interval(values, 2), (Interval{0.35, 0.65}));
}

TEST(Bootstrap, IsTheSameForTheSameSeed) {
  std::vector<double> values;
  for (int i = 0; i < 9; ++i) values.push_back(std::sqrt(i));
  EXPECT_EQ(bootstrap_interval(values, 7), bootstrap_interval(values, 7));
  EXPECT_NE(bootstrap_interval(values, 7), bootstrap_interval(values, 8));
}

/// The published BERT-large runs: samples to a masked-LM accuracy of 0.72.
TEST(Spread, OfFourPublishedRuns) {
  const Spread spread = spread_of({2703232, 3002944, 2552704, 2403520}, 1);
  EXPECT_EQ(spread.count, 4U);
  EXPECT_EQ(spread.mean, 2665600);
  EXPECT_EQ(spread.median, 2627968);
  EXPECT_EQ(spread.least, 2403520);
  EXPECT_EQ(spread.most, 3002944);
  ASSERT_TRUE(spread.interval);
  EXPECT_LT(spread.interval->low, spread.mean);
  EXPECT_GT(spread.interval->high, spread.mean);
  EXPECT_THROW(static_cast<void>(spread_of({}, 1)), std::invalid_argument);
}

/// Of 20 ways to deal six values into threes, two differ most.
TEST(PermutationTest, OfThreeAgainstThreeNeverComesBelowATenth) {
  const Difference difference = permutation_test({1, 2, 3}, {10, 11, 12}, 1);
  EXPECT_EQ(difference.mean, 9);
  EXPECT_DOUBLE_EQ(difference.p_value, 0.1);
  EXPECT_DOUBLE_EQ(difference.least_p, 0.1);
  EXPECT_TRUE(difference.exact);
}

/// {1, 3} against {2, 4}: sums of the first pair 3 4 5 5 6 7, which differ from the half of 10 by
/// 2 1 0 0 1 2; the observed 4 by 1: 4 of 6.
TEST(PermutationTest, CountsWaysThatDifferAsMuch) {
  EXPECT_DOUBLE_EQ(permutation_test({1, 3}, {2, 4}, 1).p_value, 4.0 / 6);
  EXPECT_DOUBLE_EQ(permutation_test({5, 5}, {5, 5}, 1).p_value, 1);
  EXPECT_DOUBLE_EQ(permutation_test({0.1, 0.2, 0.3}, {0.3, 0.1, 0.2}, 1).p_value, 1);
}

/// One against four: five ways, of which only the observed one has the largest apart.
TEST(PermutationTest, OfSetsOfDifferentSizes) {
  const Difference difference = permutation_test({9}, {1, 2, 3, 4}, 1);
  EXPECT_DOUBLE_EQ(difference.mean, -6.5);
  EXPECT_DOUBLE_EQ(difference.p_value, 0.2);
  EXPECT_DOUBLE_EQ(difference.least_p, 0.2);
}

/// Ranks 1 2 3 4.5 4.5, where the second set has 3 and the two that never came: sums of two ranks
/// of the first set from 3 to 9 about 6; the observed 3 is the only one as far away: 9 is too.
TEST(PermutationTest, RunsThatNeverGetThereComeLast) {
  const double never = std::numeric_limits<double>::infinity();
  const Difference difference = permutation_test({1, 2}, {5, never, never}, 1);
  EXPECT_DOUBLE_EQ(difference.mean, 4 - 1.5);
  EXPECT_DOUBLE_EQ(difference.p_value, 0.2);
  EXPECT_DOUBLE_EQ(permutation_test({never}, {never, never}, 1).p_value, 1);
}

/// Twelve against twelve are 2.7 million ways; drawn ones say nearly what counting them does:
/// two sets that are shifted by nothing but a constant far away.
TEST(PermutationTest, OfManyRunsIsDrawn) {
  std::vector<double> first;
  std::vector<double> second;
  for (int i = 0; i < 12; ++i) {
    first.push_back(i);
    second.push_back(i + 100);
  }
  const Difference far = permutation_test(first, second, 1);
  EXPECT_FALSE(far.exact);
  EXPECT_LE(far.p_value, 2e-5);
  EXPECT_DOUBLE_EQ(permutation_test(first, first, 1).p_value, 1);
  EXPECT_THROW(static_cast<void>(permutation_test({}, {1}, 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(permutation_test({std::nan("")}, {1}, 1)), std::invalid_argument);
}

TEST(Analysis, CountsRunsThatGetThere) {
  const std::vector<curves::Run> runs{run_of({1, 5, 9}), run_of({1, 2, 3}), run_of({9, 9, 9}),
                                      run_of({1, 2, 9}), run_of({0, 0, 0})};
  AnalysisOptions options;
  options.metric = "accuracy";
  options.target = 9;
  options.window = 1;
  const SetFigures set = figures_of(runs, options);
  ASSERT_TRUE(set.first_crossing && set.first_crossing->when);
  EXPECT_EQ(set.first_crossing->runs, 5U);
  EXPECT_EQ(set.first_crossing->reached(), 3U);
  EXPECT_DOUBLE_EQ(set.first_crossing->when->mean, 7.0 / 3);
  EXPECT_EQ(set.first_crossing->median_of_all, 3);
  EXPECT_EQ(set.final_value.mean, 6);
  EXPECT_EQ(set.best_value.median, 9);
}

TEST(Analysis, OfRunsThatNeverGetThere) {
  AnalysisOptions options;
  options.metric = "accuracy";
  options.target = 10;
  const SetFigures set = figures_of({run_of({1, 5, 9}), run_of({2})}, options);
  EXPECT_EQ(set.first_crossing->reached(), 0U);
  EXPECT_EQ(set.first_crossing->when, std::nullopt);
  EXPECT_EQ(set.first_crossing->median_of_all, std::nullopt);
}

TEST(Analysis, ComparesTwoSets) {
  AnalysisOptions options;
  options.metric = "accuracy";
  options.target = 3;
  const SetFigures early = figures_of({run_of({3}), run_of({3})}, options);
  const SetFigures late = figures_of({run_of({0, 0, 4}), run_of({0, 0, 4})}, options);
  EXPECT_EQ(difference_of_finals(early, late, 1).mean, 1);
  EXPECT_EQ(difference_of_crossings(early, late, 1).mean, 2);
  EXPECT_DOUBLE_EQ(difference_of_crossings(early, late, 1).p_value, 2.0 / 6);
}

TEST(BreakEven, IsTheRatioOfTheStepTimes) {
  EXPECT_DOUBLE_EQ(break_even(0.080, 0.064, 100, 0).value(), 1.25);
}

/// 100 dense steps take 10 s; 2 s are gone before the scheme begins, the other 8 s are 100 of its
/// steps.
TEST(BreakEven, WithTimeSpentOnce) {
  EXPECT_DOUBLE_EQ(break_even(0.1, 0.08, 100, 2).value(), 1);
  EXPECT_EQ(break_even(0.1, 0.08, 100, 10), std::nullopt);
}

}  // namespace
}  // namespace stcsim::curves
