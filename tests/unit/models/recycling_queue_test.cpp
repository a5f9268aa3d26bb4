#include "models/base/recycling_queue.hpp"

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/seed.hpp"

namespace stcsim {
namespace {

TEST(RecyclingQueue, IsFirstInFirstOut) {
  RecyclingQueue<int> queue;
  EXPECT_TRUE(queue.empty());
  for (const int value : {3, 1, 2}) queue.push_back() = value;
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue.front(), 3);
  EXPECT_EQ(queue.back(), 2);
  queue.pop_front();
  EXPECT_EQ(queue.front(), 1);
  EXPECT_EQ(queue[1], 2);
  queue.pop_back();
  EXPECT_EQ(queue.back(), 1);
  queue.clear();
  EXPECT_TRUE(queue.empty());
}

/// Two elements at a time need two places; a third push gets the memory of what left first.
TEST(RecyclingQueue, ElementsKeepTheirMemory) {
  RecyclingQueue<std::vector<int>> queue;
  queue.push_back().assign(100, 1);
  queue.push_back().assign(100, 2);
  queue.push_back().assign(100, 3);
  const int* const memory = queue.front().data();
  queue.pop_front();
  const std::vector<int>& next = queue.push_back();
  EXPECT_EQ(next.data(), memory);
  EXPECT_EQ(next, std::vector<int>(100, 1));
}

/// Against std::deque, growing wherever the front happens to be.
TEST(RecyclingQueue, DoesWhatADequeDoes) {
  const std::uint64_t seed = test::seed_or(20261122);
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  RecyclingQueue<int> queue;
  std::deque<int> reference;
  for (int turn = 0; turn < 20000; ++turn) {
    const std::uint64_t draw = random() % 64;
    if (draw < 36) {
      queue.push_back() = turn;
      reference.push_back(turn);
    } else if (draw < 62 && !reference.empty()) {
      queue.pop_front();
      reference.pop_front();
    } else if (draw == 62 && !reference.empty()) {
      queue.pop_back();
      reference.pop_back();
    } else if (draw == 63) {
      queue.clear();
      reference.clear();
    }
    ASSERT_EQ(queue.size(), reference.size());
    for (std::size_t at = 0; at < reference.size(); ++at) ASSERT_EQ(queue[at], reference[at]);
  }
}

}  // namespace
}  // namespace stcsim
