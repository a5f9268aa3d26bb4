#include "pruning/mvue.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pruning/quad_kernels.hpp"
#include "pruning/random_stream.hpp"
#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

using test::base_seed;
using test::seed_text;
using testing::DoubleNear;
using testing::ElementsAre;

std::vector<double> probabilities(const std::vector<float>& group, std::int64_t n) {
  std::vector<double> result(group.size());
  inclusion_probabilities(group, n, result);
  return result;
}

std::vector<float> estimate(const std::vector<float>& group, std::int64_t n, double uniform) {
  std::vector<float> out(group.size());
  mvue_group(group, n, uniform, out);
  return out;
}

TEST(Mvue, OneOfTwoIsTheSumWithProbabilityOfTheShare) {
  EXPECT_THAT(probabilities({3, -1}, 1), ElementsAre(0.75, 0.25));
  EXPECT_THAT(estimate({3, -1}, 1, 0.75), ElementsAre(4, 0));
  EXPECT_THAT(estimate({3, -1}, 1, 0.7500001), ElementsAre(0, -4));
  EXPECT_DOUBLE_EQ(mvue_variance(std::vector<float>{3, -1}, 1), 6);
}

TEST(Mvue, TwoOfFourKeepsHalfTheSum) {
  const auto exact = [](double value) { return DoubleNear(value, 1e-15); };
  EXPECT_THAT(probabilities({1, 2, 3, 4}, 2),
              ElementsAre(exact(0.2), exact(0.4), exact(0.6), exact(0.8)));
  EXPECT_DOUBLE_EQ(mvue_variance(std::vector<float>{1, 2, 3, 4}, 2), 20);
  // Prefix sums 1, 3, 6, 10 in units of which half, 5, is the step.
  EXPECT_THAT(estimate({1, 2, 3, 4}, 2, 0.1), ElementsAre(5, 0, 5, 0));
  EXPECT_THAT(estimate({1, -2, 3, -4}, 2, 0.5), ElementsAre(0, -5, 0, -5));
  EXPECT_THAT(estimate({1, 2, 3, 4}, 2, 0.9), ElementsAre(0, 0, 5, 5));
}

TEST(Mvue, AnElementOfHalfTheSumIsCertain) {
  EXPECT_THAT(probabilities({1, 1, 1, 5}, 2), ElementsAre(1. / 3, 1. / 3, 1. / 3, 1));
  EXPECT_THAT(estimate({1, 1, -1, 5}, 2, 0.9), ElementsAre(0, 0, -3, 5));
  // 2 (a1 a2 + a1 a3 + a2 a3)
  EXPECT_DOUBLE_EQ(mvue_variance(std::vector<float>{1, 1, 1, 5}, 2), 6);
}

TEST(Mvue, FewNonZerosStayAsTheyAre) {
  EXPECT_THAT(estimate({0, -3, 0, 7}, 2, 0.5), ElementsAre(0, -3, 0, 7));
  EXPECT_THAT(estimate({0, 0, 0, 7}, 2, 0.5), ElementsAre(0, 0, 0, 7));
  EXPECT_THAT(estimate({0, 0, 0, 0}, 2, 0.5), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(probabilities({0, 0, 0, 7}, 2), ElementsAre(0, 0, 0, 1));
  EXPECT_EQ(mvue_variance(std::vector<float>{0, -3, 0, 7}, 2), 0);
}

TEST(Mvue, ProbabilitiesAddUpAndAreSmallestVariance) {
  SCOPED_TRACE(seed_text());
  const Matrix groups = test::normal_matrix(500, 8, base_seed());
  for (std::int64_t row = 0; row < groups.rows; ++row) {
    const std::vector<float> group(groups.row(row).begin(), groups.row(row).end());
    for (std::int64_t n = 1; n < 8; ++n) {
      const std::vector<double> p = probabilities(group, n);
      double sum = 0;
      double largest_ratio = 0;
      for (std::size_t i = 0; i < p.size(); ++i) {
        ASSERT_LE(p[i], 1);
        sum += p[i];
        if (p[i] < 1) largest_ratio = std::max(largest_ratio, p[i] / std::abs(group[i]));
      }
      ASSERT_NEAR(sum, static_cast<double>(n), 1e-9);
      // Karush-Kuhn-Tucker: p/|a| is one lambda below 1, and lambda |a| >= 1 where p is 1.
      for (std::size_t i = 0; i < p.size(); ++i) {
        if (p[i] < 1) {
          ASSERT_NEAR(p[i] / std::abs(group[i]), largest_ratio, 1e-9 * largest_ratio);
        }
        if (p[i] == 1) {
          ASSERT_GE(largest_ratio * std::abs(group[i]), 1 - 1e-9);
        }
      }
    }
  }
}

/// Mean within 4 standard errors of the group, and variance as `expected`, over 200,000 draws.
void expect_unbiased(const std::vector<float>& group, double expected_variance, const Matrix& draws,
                     Pattern pattern) {
  const test::ColumnMoments moments = test::column_moments(draws);
  const float largest =
      std::abs(*std::ranges::max_element(group, {}, [](float value) { return std::abs(value); }));
  double variance = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const double error = std::sqrt(moments.variance[i] / static_cast<double>(draws.rows));
    // fp32 values: their own rounding beside the sampling error.
    EXPECT_NEAR(moments.mean[i], group[i], 4 * error + 1e-6 * largest) << "element " << i;
    variance += moments.variance[i];
  }
  // Where an element is all but certain, a handful of draws without it make up the variance.
  const double few_draws = 4 * largest * largest / static_cast<double>(draws.rows);
  EXPECT_NEAR(variance, expected_variance, 0.02 * expected_variance + few_draws);
  EXPECT_EQ(count_violations(draws, pattern), 0);
}

constexpr std::int64_t kDraws = 200'000;

// Groups of all three cases of 2:4, with zeros, equal values, signs and small and large scales.
const std::vector<std::vector<float>> kGroups{{1, 2, 3, 4},
                                              {-4, 3, -2, 1},
                                              {1, 1, 1, 5},
                                              {0.2F, 1, 1, 2},
                                              {0, 1, 2, 2.5F},
                                              {1, 1, 1, 1},
                                              {0, 0, 1, 1},
                                              {5, 0, 1, 1},
                                              {1e-20F, 2e-20F, 3e-20F, 4e-20F},
                                              {1e20F, 2e20F, -3e20F, 4e20F}};

TEST(MvueTwoOfFour, IsUnbiasedWithTheSmallestVariance) {
  SCOPED_TRACE(seed_text());
  for (const std::vector<float>& group : kGroups) {
    SCOPED_TRACE(testing::PrintToString(group));
    Matrix draws(kDraws, 4);
    prune_mvue(test::repeated_group(group, kDraws), {2, 4}, base_seed(), 0, 2, draws);
    expect_unbiased(group, mvue_variance(group, 2), draws, {2, 4});
  }
}

TEST(MvueTwoOfFour, TheFastKernelDrawsWhatTheDefinitionDraws) {
  SCOPED_TRACE(seed_text());
  const Matrix in = test::normal_matrix(64, 64, base_seed());
  Matrix out(64, 64);
  prune_mvue(in, {2, 4}, base_seed(), 5, 1, out);
  const RandomStream stream(base_seed(), Purpose::pruning, 5);
  for (std::int64_t group = 0; group < 1024; ++group) {
    float uniform = 0;
    stream.fill(static_cast<std::uint64_t>(group), {&uniform, 1});
    const auto at = static_cast<std::ptrdiff_t>(4 * group);
    const std::vector<float> expected =
        estimate({in.values.begin() + at, in.values.begin() + at + 4}, 2, uniform);
    for (std::ptrdiff_t i = 0; i < 4; ++i) {
      ASSERT_FLOAT_EQ(out.values[static_cast<std::size_t>(at + i)],
                      expected[static_cast<std::size_t>(i)])
          << "group " << group;
    }
  }
}

TEST(MvueGeneral, IsUnbiasedWithTheSmallestVariance) {
  SCOPED_TRACE(seed_text());
  for (const Pattern pattern : {Pattern{1, 2}, Pattern{1, 4}, Pattern{4, 8}, Pattern{3, 16}}) {
    const Matrix group_matrix = test::normal_matrix(1, pattern.m, base_seed() + 1);
    const std::vector<float>& group = group_matrix.values;
    SCOPED_TRACE(pattern.to_string());
    Matrix draws(kDraws, pattern.m);
    prune_mvue(test::repeated_group(group, kDraws), pattern, base_seed(), 0, 2, draws);
    expect_unbiased(group, mvue_variance(group, pattern.n), draws, pattern);
    for (std::int64_t row = 0; row < kDraws; row += 1000) {
      EXPECT_EQ(pattern.m - std::ranges::count(draws.row(row), 0.0F), pattern.n);
    }
  }
}

TEST(MvueApproximate, GivesTheWorkedExample) {
  const std::array<float, 4> group{1, 2, 3, 4};
  std::array<float, 4> out{};
  const std::array<float, 2> uniforms{0.5F, 0.5F};
  approximate_mvue_quads(group.data(), uniforms.data(), 1, out.data());
  const auto close = [](float value) { return testing::FloatNear(value, 5e-5F); };
  EXPECT_THAT(out, ElementsAre(0, 0, close(4.9315F), close(5.5876F)));
  const auto digits = [](double value) { return DoubleNear(value, 5e-5); };
  EXPECT_THAT(approximate_inclusion_probabilities(group),
              ElementsAre(digits(0.2345), digits(0.4413), digits(0.6083), digits(0.7159)));
  EXPECT_NEAR(approximate_mvue_variance(test::repeated_group({1, 2, 3, 4}, 1)), 20.47, 5e-3);
}

TEST(MvueApproximate, IsUnbiasedWithTheVarianceOfItsProbabilities) {
  SCOPED_TRACE(seed_text());
  for (const std::vector<float>& group : kGroups) {
    // Far below the guard of 1.19e-7 the first pick is uniform and values are scaled up by 2.
    SCOPED_TRACE(testing::PrintToString(group));
    const Matrix in = test::repeated_group(group, kDraws);
    Matrix draws(kDraws, 4);
    prune_approximate_mvue(in, base_seed(), 0, 2, draws);
    expect_unbiased(group, approximate_mvue_variance(test::repeated_group(group, 1)), draws,
                    {2, 4});
  }
}

// Closed forms of three equal elements beside a larger one. The ratio comes close to 2 where one
// element dwarfs the rest; equal elements are drawn by the best law.
TEST(MvueApproximate, HasUpToTwiceTheLeastVariance) {
  const auto ratio = [](const std::vector<float>& group) {
    const Matrix in = test::repeated_group(group, 1);
    return approximate_mvue_variance(in) / mvue_variance(in, {2, 4});
  };
  EXPECT_NEAR(ratio({1, 1, 1, 1}), 1, 1e-6);
  EXPECT_NEAR(ratio({1, 1, 1, 10}), 29. / 18, 1e-5);
  EXPECT_NEAR(ratio({1, 1, 1, 100}), 47867. / 24528, 1e-4);
  SCOPED_TRACE(seed_text());
  const Matrix groups = test::normal_matrix(20'000, 4, base_seed());
  for (std::int64_t row = 0; row < groups.rows; ++row) {
    std::vector<float> group(groups.row(row).begin(), groups.row(row).end());
    for (float& value : group) value = std::pow(10.0F, value / 2);
    ASSERT_LT(ratio(group), 2) << testing::PrintToString(group);
  }
}

// On normal data the mean of 2|x1 x2| over that of x1^2 + x2^2 is 2/pi; the others are from a
// program of its own with 20 million groups. The tolerance is five standard errors of 102,400
// groups.
TEST(MvueVariance, IsTheKnownOneForNormalData) {
  SCOPED_TRACE(seed_text());
  constexpr double kTolerance = 0.005;
  const Matrix in = test::normal_matrix(1024, 400, base_seed());
  double square = 0;
  for (const double value : in.values) square += value * value;
  EXPECT_NEAR(mvue_variance(in, {1, 2}) / square, 2 / std::numbers::pi, kTolerance);
  EXPECT_NEAR(mvue_variance(in, {2, 4}) / square, 0.4738, kTolerance);
  EXPECT_NEAR(approximate_mvue_variance(in) / square, 0.5026, kTolerance);
}

TEST(MvuePairs, GivesTheWorkedExample) {
  const auto exact = [](double value) { return DoubleNear(value, 1e-15); };
  EXPECT_THAT(pair_law(std::array{1., 2., 3., 4.}),
              ElementsAre(0, exact(0.05), exact(0.15), exact(0.15), exact(0.25), exact(0.40)));
}

TEST(MvuePairs, IsALawWithTheRightProbabilities) {
  SCOPED_TRACE(seed_text());
  const Matrix groups = test::normal_matrix(200'000, 4, base_seed());
  for (std::int64_t row = 0; row < groups.rows; ++row) {
    std::array<float, 4> group{};
    std::ranges::transform(groups.row(row), group.begin(), [](float x) { return std::abs(x); });
    std::ranges::sort(group);
    const PairLaw law = pair_law(std::array<double, 4>{group[0], group[1], group[2], group[3]});
    ASSERT_GE(std::ranges::min(law), -1e-12);
    const auto [p12, p13, p14, p23, p24, p34] = law;
    const std::vector<double> p = probabilities({group.begin(), group.end()}, 2);
    ASSERT_NEAR(p12 + p13 + p14, p[0], 1e-9);
    ASSERT_NEAR(p12 + p23 + p24, p[1], 1e-9);
    ASSERT_NEAR(p13 + p23 + p34, p[2], 1e-9);
    ASSERT_NEAR(p14 + p24 + p34, p[3], 1e-9);
  }
}

TEST(MvuePairs, IsUnbiasedWithTheSmallestVariance) {
  SCOPED_TRACE(seed_text());
  for (const std::vector<float>& group : kGroups) {
    SCOPED_TRACE(testing::PrintToString(group));
    Matrix draws(kDraws, 4);
    prune_mvue_pairs(test::repeated_group(group, kDraws), base_seed(), 0, 2, draws);
    expect_unbiased(group, mvue_variance(group, 2), draws, {2, 4});
  }
}

}  // namespace
}  // namespace stcsim::pruning
