#include "pruning/magnitude.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

using test::base_seed;
using test::coarse_matrix;
using test::matrix_of;
using test::seed_text;
using testing::ElementsAre;

Matrix by_magnitude(const Matrix& in, Pattern pattern, int threads = 1) {
  Matrix out(in.rows, in.columns);
  prune_by_magnitude(in, pattern, threads, out);
  return out;
}

std::vector<float> by_magnitude(std::vector<float> row, Pattern pattern) {
  const auto columns = std::ssize(row);
  return by_magnitude(matrix_of(1, columns, std::move(row)), pattern).values;
}

/// The definition: sort the granules of each group by their sums, keep the first.
Matrix by_sorting(const Matrix& in, Pattern pattern) {
  Matrix out(in.rows, in.columns);
  for (std::int64_t row = 0; row < in.rows; ++row) {
    const auto end_of = [&](std::int64_t at) { return std::min(at + pattern.granule, in.columns); };
    const auto sum_of = [&](std::int64_t begin) {
      float sum = 0;
      for (std::int64_t at = begin; at < end_of(begin); ++at) sum += std::abs(in.at(row, at));
      return sum;
    };
    for (std::int64_t begin = 0; begin < in.columns; begin += pattern.m) {
      std::vector<std::int64_t> order;
      const std::int64_t end = std::min(begin + pattern.m, in.columns);
      for (std::int64_t at = begin; at < end; at += pattern.granule) order.push_back(at);
      std::ranges::stable_sort(order, std::ranges::greater{}, sum_of);
      const auto kept = static_cast<std::size_t>(pattern.n / pattern.granule);
      if (order.size() > kept) order.resize(kept);
      for (const std::int64_t first : order) {
        for (std::int64_t at = first; at < end_of(first); ++at) out.at(row, at) = in.at(row, at);
      }
    }
  }
  return out;
}

TEST(Magnitude, KeepsTheLargest) {
  EXPECT_THAT(by_magnitude({1, 7, -3, 2}, {2, 4}), ElementsAre(0, 7, -3, 0));
  EXPECT_THAT(by_magnitude({1, 7, -3, 2}, {1, 4}), ElementsAre(0, 7, 0, 0));
  EXPECT_THAT(by_magnitude({1, 7, -3, 2}, {1, 2}), ElementsAre(0, 7, -3, 0));
}

TEST(Magnitude, OfEqualOnesTheLowerIndexStays) {
  EXPECT_THAT(by_magnitude({1, -1, 1, 1}, {2, 4}), ElementsAre(1, -1, 0, 0));
  EXPECT_THAT(by_magnitude({1, 2, 2, -2}, {2, 4}), ElementsAre(0, 2, 2, 0));
  EXPECT_THAT(by_magnitude({1, 1, 1, 1, 1, 1}, {2, 3}), ElementsAre(1, 1, 0, 1, 1, 0));
}

TEST(Magnitude, AShortLastGroupCountsAsFilledUpWithZeros) {
  EXPECT_THAT(by_magnitude({1, 2, 3, 4, 5, 6, 7}, {2, 4}), ElementsAre(0, 0, 3, 4, 0, 6, 7));
  EXPECT_THAT(by_magnitude({1, 2, 3, 4, 5}, {2, 4}), ElementsAre(0, 0, 3, 4, 5));
  EXPECT_THAT(by_magnitude({3}, {1, 8}), ElementsAre(3));
}

TEST(Magnitude, PairsStayTogether) {
  EXPECT_THAT(by_magnitude({5, 0, -3, 3, 4, -1, 2, 2}, {4, 8, 2}),
              ElementsAre(5, 0, -3, 3, 0, 0, 0, 0));
  EXPECT_THAT(by_magnitude({9, 0, 5, 5, 1, 1}, {2, 6, 2}), ElementsAre(0, 0, 5, 5, 0, 0));
  EXPECT_THAT(by_magnitude({1, 1, 2, 2, 5}, {4, 8, 2}), ElementsAre(0, 0, 2, 2, 5));
}

TEST(Magnitude, ZerosStayZeros) {
  EXPECT_THAT(by_magnitude({0, 0, 0, 0, 0, 5, 0, 0}, {2, 4}), ElementsAre(0, 0, 0, 0, 0, 5, 0, 0));
}

TEST(Magnitude, NotANumberIsLargerThanAllNumbers) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(by_magnitude({1e38F, nan, 2, -infinity}, {2, 4}),
              ElementsAre(0, testing::IsNan(), 0, -infinity));
  EXPECT_THAT(by_magnitude({1e38F, nan, 2}, {1, 3}), ElementsAre(0, testing::IsNan(), 0));
}

TEST(Magnitude, IsWhatSortingGives) {
  SCOPED_TRACE(seed_text());
  for (const Pattern pattern :
       {Pattern{2, 4}, Pattern{1, 2}, Pattern{1, 4}, Pattern{3, 4}, Pattern{4, 8}, Pattern{5, 7},
        Pattern{4, 32}, Pattern{17, 128}, Pattern{4, 8, 2}, Pattern{2, 4, 2}, Pattern{6, 10, 2}}) {
    for (const std::int64_t columns : {1, 3, 4, 5, 127, 128, 129, 515, 1024}) {
      const Matrix in = coarse_matrix(7, columns, base_seed() + static_cast<unsigned>(columns));
      const Matrix expected = by_sorting(in, pattern);
      for (const int threads : {1, 3}) {
        EXPECT_EQ(by_magnitude(in, pattern, threads).values, expected.values)
            << pattern.to_string() << ", " << columns << " columns, " << threads << " threads";
      }
    }
  }
}

// Order statistics of the half-normal distribution, to three digits.
TEST(Magnitude, KeepsTheExpectedShareOfANormalMatrix) {
  SCOPED_TRACE(seed_text());
  const Matrix in = test::normal_matrix(1024, 1024, base_seed());
  const auto share = [&](Pattern pattern) {
    return test::magnitude_sum(by_magnitude(in, pattern).values) / test::magnitude_sum(in.values);
  };
  constexpr double kRounding = 0.0005;
  constexpr double kSampling = 0.001;
  EXPECT_NEAR(share({1, 2}), 0.707, kRounding + kSampling);
  EXPECT_NEAR(share({2, 4}), 0.745, kRounding + kSampling);
  EXPECT_NEAR(share({4, 8}), 0.768, kRounding + kSampling);
  EXPECT_NEAR(share({1, 4}), 0.459, kRounding + kSampling);
  EXPECT_NEAR(share({2, 8}), 0.485, kRounding + kSampling);
  EXPECT_NEAR(share({1, 8}), 0.280, kRounding + kSampling);
}

// Two samples of two pixels with four channels.
const Matrix kGradient = matrix_of(4, 4,
                                   {1, 7, -3, 2,        //
                                    4, -1, 0.5, -2,     //
                                    0.2F, -0.1F, 3, 5,  //
                                    6, 2, -8, 1});

std::vector<float> rescaled(RescaleSet set, int threads = 1) {
  Matrix out(4, 4);
  prune_rescaled(kGradient, {2, 4}, set, 2, threads, out);
  return out.values;
}

std::vector<testing::Matcher<float>> near(const std::vector<float>& values, float tolerance) {
  std::vector<testing::Matcher<float>> matchers;
  for (const float value : values) matchers.push_back(testing::FloatNear(value, tolerance));
  return matchers;
}

TEST(RescaledMagnitude, PreservesSumsPerSampleAndChannel) {
  const std::vector<float> expected{0, 8, -3.5, 0, 5, 0, 0, -4, 0, 0, 3, 6, 6.2F, 0, -8, 0};
  EXPECT_THAT(rescaled(RescaleSet::sample_channel),
              testing::ElementsAreArray(near(expected, 1e-6F)));
  EXPECT_EQ(rescaled(RescaleSet::sample_channel, 2), rescaled(RescaleSet::sample_channel));
}

TEST(RescaledMagnitude, PreservesSumsPerChannel) {
  const std::vector<float> expected{0, 10.1F, -3.107F, 0,      4.48F, 0, 0,       -2.857F,
                                    0, 0,     3.107F,  7.143F, 6.72F, 0, -8.286F, 0};
  EXPECT_THAT(rescaled(RescaleSet::channel), testing::ElementsAreArray(near(expected, 6e-4F)));
}

TEST(RescaledMagnitude, PreservesSumsPerGroup) {
  // Ratios 13/10, 7.5/6, 8.3/8 and 17/14.
  const std::vector<float> expected{0, 9.1F, -3.9F,   0,       5,          0, 0,           -2.5F,
                                    0, 0,    3.1125F, 5.1875F, 102.F / 14, 0, -136.F / 14, 0};
  EXPECT_THAT(rescaled(RescaleSet::group), testing::ElementsAreArray(near(expected, 1e-5F)));
}

TEST(RandomPruning, KeepsExactlyNOfEveryGroupAlike) {
  SCOPED_TRACE(seed_text());
  constexpr std::int64_t kGroups = 200'000;
  for (const Pattern pattern :
       {Pattern{2, 4}, Pattern{1, 2}, Pattern{3, 8}, Pattern{4, 8, 2}, Pattern{2, 6, 2}}) {
    const Matrix ones =
        test::repeated_group(std::vector<float>(static_cast<std::size_t>(pattern.m), 1), kGroups);
    Matrix out(ones.rows, ones.columns);
    prune_at_random(ones, pattern, base_seed(), 0, 2, out);
    for (std::int64_t row = 0; row < out.rows; ++row) {
      ASSERT_EQ(std::ranges::count(out.row(row), 1.0F), pattern.n);
    }
    ASSERT_EQ(count_violations(out, pattern), 0);
    const double share = static_cast<double>(pattern.n) / static_cast<double>(pattern.m);
    const double deviation = std::sqrt(share * (1 - share) / kGroups);
    for (const double mean : test::column_moments(out).mean) {
      EXPECT_NEAR(mean, share, 4 * deviation) << pattern.to_string();
    }
  }
}

}  // namespace
}  // namespace stcsim::pruning
