#include "pruning/channel_permutation.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

using test::base_seed;
using test::given_order;
using test::kept;
using test::seed_text;

TEST(ChannelPermutation, IsAPermutationAndRestoredUndoesReordered) {
  SCOPED_TRACE(seed_text());
  for (const std::int64_t columns : {1, 4, 7, 8, 12, 30}) {
    const Matrix in = test::normal_matrix(5, columns, base_seed());
    const std::vector<std::int64_t> order = find_channel_order(in, 10, base_seed(), {});
    std::vector<std::int64_t> sorted = order;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, given_order(in));
    EXPECT_EQ(restored(reordered(in, order), order).values, in.values);
    EXPECT_GE(kept(in, order), kept(in, given_order(in)));
    for (std::int64_t column = columns / 4 * 4; column < columns; ++column) {
      EXPECT_EQ(order[static_cast<std::size_t>(column)], column);
    }
  }
}

TEST(ChannelPermutation, FindsTheBestOfAllOrdersOfEightColumns) {
  SCOPED_TRACE(seed_text());
  for (std::uint64_t round = 0; round < 5; ++round) {
    const Matrix in = test::normal_matrix(3, 8, base_seed() + round);
    double best = 0;
    std::vector<std::int64_t> order = given_order(in);
    do {
      best = std::max(best, kept(in, order));
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_NEAR(kept(in, find_channel_order(in, 0, 1, {})), best, 2e-6 * best);
  }
}

TEST(ChannelPermutation, FindsGroupsThatLoseNothing) {
  // Columns 0 to 3 are large, the others small: two large and two small together lose nothing.
  Matrix in(6, 8);
  for (std::int64_t row = 0; row < 6; ++row) {
    for (std::int64_t column = 0; column < 4; ++column) in.at(row, column) = 1;
  }
  EXPECT_EQ(kept(in, given_order(in)), 12);
  EXPECT_EQ(kept(in, find_channel_order(in, 0, 1, {})), 24);
}

TEST(ChannelPermutation, DoesNotDependOnThreads) {
  const Matrix in = test::normal_matrix(20, 36, base_seed());
  EXPECT_EQ(find_channel_order(in, 10, 3, {1, {}}), find_channel_order(in, 10, 3, {3, {}}));
}

}  // namespace
}  // namespace stcsim::pruning
