#include "pruning/double_pruning.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pruning/channel_permutation.hpp"
#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

using test::base_seed;
using test::normal_matrix;
using test::seed_text;

// Closed form, to the digits given: 1/8 and 3/32 exactly.
TEST(DoublePruning, ExpectedExtraZerosAreThoseOfTheClosedForm) {
  EXPECT_DOUBLE_EQ(expected_extra_zeros({1, 2}), 0.125);
  EXPECT_DOUBLE_EQ(expected_extra_zeros({2, 4}), 0.09375);
  EXPECT_NEAR(expected_extra_zeros({4, 8}), 0.0684, 5e-5);
  EXPECT_NEAR(expected_extra_zeros({2, 8}), 0.0584, 5e-5);
}

double share_of_zeros(const Matrix& matrix) {
  return static_cast<double>(std::ranges::count(matrix.values, 0.0F)) /
         static_cast<double>(matrix.values.size());
}

TEST(DoublePruning, OnRandomWeightsAddsAboutThatManyZeros) {
  SCOPED_TRACE(seed_text());
  const std::vector<Matrix> planes{normal_matrix(1024, 1024, base_seed())};
  for (const Pattern pattern : {Pattern{1, 2}, Pattern{2, 4}, Pattern{4, 8}, Pattern{2, 8}}) {
    const DoublePruned result = prune_double(planes, pattern, {});
    const double extra =
        share_of_zeros(result.backward.front()) - share_of_zeros(result.forward.front());
    // Signs and magnitudes are independent, masks nearly: within 2 % of the formula.
    EXPECT_NEAR(extra, expected_extra_zeros(pattern), 0.02 * expected_extra_zeros(pattern))
        << pattern.to_string();
  }
}

/// Backward values are forward values or zeros, and both patterns hold.
void expect_double(const DoublePruned& result, Pattern pattern) {
  for (std::size_t plane = 0; plane < result.forward.size(); ++plane) {
    const Matrix& forward = result.forward[plane];
    const Matrix& backward = result.backward[plane];
    EXPECT_EQ(count_violations(forward, pattern), 0);
    EXPECT_EQ(count_violations(reordered(transposed(backward), result.row_order), pattern), 0);
    for (std::size_t i = 0; i < forward.values.size(); ++i) {
      if (backward.values[i] != 0) {
        EXPECT_EQ(backward.values[i], forward.values[i]);
      }
    }
  }
}

TEST(DoublePruning, HoldsAlongBothAxesAtEveryEdge) {
  SCOPED_TRACE(seed_text());
  for (const Pattern pattern : {Pattern{2, 4}, Pattern{1, 4}, Pattern{4, 8}}) {
    for (const auto& [rows, columns] : {std::pair{8, 8}, {3, 5}, {17, 130}, {1, 9}}) {
      const std::vector<Matrix> planes{normal_matrix(rows, columns, base_seed()),
                                       normal_matrix(rows, columns, base_seed() + 1)};
      const DoublePruned slope = prune_double(planes, pattern, {});
      expect_double(slope, pattern);
      EXPECT_TRUE(std::ranges::is_sorted(slope.row_order));
      expect_double(prune_bi_mask(planes, pattern, 5, base_seed(), {}), pattern);
    }
  }
}

TEST(BiMask, KeepsAtLeastWhatTheGivenOrderDoesAndIsRepeatable) {
  SCOPED_TRACE(seed_text());
  const std::vector<Matrix> planes{normal_matrix(64, 64, base_seed())};
  const auto kept = [](const DoublePruned& result) {
    return test::magnitude_sum(result.backward.front().values);
  };
  const DoublePruned one = prune_bi_mask(planes, {2, 4}, 100, base_seed(), {});
  const DoublePruned again = prune_bi_mask(planes, {2, 4}, 100, base_seed(), {3, {}});
  EXPECT_GE(kept(one), kept(prune_double(planes, {2, 4}, {})));
  EXPECT_GE(kept(one), kept(prune_bi_mask(planes, {2, 4}, 10, base_seed(), {})));
  EXPECT_EQ(again.row_order, one.row_order);
  EXPECT_EQ(again.backward.front().values, one.backward.front().values);
  std::vector<std::int64_t> sorted = one.row_order;
  std::ranges::sort(sorted);
  std::vector<std::int64_t> all(64);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
}

TEST(DoublePruning, GivesAnExampleByHand) {
  // Rows 1:2: 4 1 | 4 2 leave 4 and 4 in column 0; of these the upper stays.
  const std::vector<Matrix> planes{test::matrix_of(2, 2, {4, 1, 4, 2})};
  const DoublePruned result = prune_double(planes, {1, 2}, {});
  EXPECT_THAT(result.forward.front().values, testing::ElementsAre(4, 0, 4, 0));
  EXPECT_THAT(result.backward.front().values, testing::ElementsAre(4, 0, 0, 0));
}

}  // namespace
}  // namespace stcsim::pruning
