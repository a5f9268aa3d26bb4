#include "models/l2_cache/l2_contents.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "models/base/state_visitor.hpp"

namespace stcsim::test {
namespace {

/// 1000 bytes in lines of 10, all eighths of a slice replaced at once but the first.
class L2ContentsTest : public testing::Test {
 protected:
  static constexpr L2Eighths kLives{500, 1000, 1000, 1000, 1000, 1000, 1000, 1000};

  /// Each CTA reads a strip of 100 bytes that no other reads, in its one k-step.
  static KernelLaunch read_once(std::int64_t ctas, bool starts_in_l2 = false) {
    KernelLaunch launch;
    launch.tiles_m = ctas;
    launch.k = launch.k_steps = 1;
    launch.a = {.strips = ctas,
                .rows = 100,
                .edge_rows = 100,
                .row_bytes = 1,
                .edge_row_bytes = 1,
                .distinct_strips = ctas,
                .starts_in_l2 = starts_in_l2};
    return launch;
  }
  [[nodiscard]] std::int64_t missing(std::int64_t strip) const {
    return contents_.missing_eighths(contents_.fill_at(contents_.place_of(Operand::a, strip, 0)));
  }
  void bring_in_strip(std::int64_t strip) {
    contents_.note(contents_.place_of(Operand::a, strip, 0), contents_.next_fill());
    contents_.request_fill(100);
  }
  /// Numbers that make up what is known of the cache.
  std::size_t size() {
    const StateOrigin origin;
    DescribedState described;
    StateWriter writer(StateWriter::Kind::complete, origin, described);
    contents_.visit_state(writer);
    writer.finish();
    return described.state.size();
  }

  L2Contents contents_{10};
};

TEST_F(L2ContentsTest, AKernelThatReadsOnceTakesNoMoreMemoryForBeingLarger) {
  contents_.launch(read_once(10), kLives);
  const std::size_t small = size();
  contents_.launch(read_once(100'000'000'000), kLives);
  EXPECT_EQ(size(), small);
  for (std::int64_t strip = 0; strip < 5000; ++strip) bring_in_strip(strip);
  EXPECT_EQ(size(), small);
  EXPECT_EQ(contents_.fills_requested(), L2Contents::kAtLaunch + 5000);
}

TEST_F(L2ContentsTest, WhatIsReadOnceIsNotThere) {
  contents_.launch(read_once(10), kLives);
  for (std::int64_t strip = 0; strip < 10; ++strip) {
    EXPECT_EQ(missing(strip), 8) << strip;
    bring_in_strip(strip);
  }
}

TEST_F(L2ContentsTest, WhatIsReadOnceIsThereUntilItsPlaceIsTaken) {
  contents_.launch(read_once(10, true), kLives);
  contents_.bring_in(500);
  EXPECT_EQ(missing(9), 0);
  contents_.bring_in(500);
  EXPECT_EQ(missing(9), 1);
  contents_.bring_in(1);
  EXPECT_EQ(missing(9), 8);
}

TEST_F(L2ContentsTest, GoesBackWhereNothingIsNoted) {
  contents_.launch(read_once(10, true), kLives);
  contents_.request_fill(500);
  const L2Contents::Mark before = contents_.mark();
  contents_.request_fill(501);
  EXPECT_EQ(missing(3), 8);
  contents_.go_back_to(before);
  EXPECT_EQ(missing(3), 0);
  EXPECT_EQ(contents_.next_fill(), L2Contents::kAtLaunch + 2);
}

/// A second column of tiles reads the same strips.
TEST_F(L2ContentsTest, WhatIsReadTwiceIsFoundAgain) {
  KernelLaunch twice = read_once(10);
  twice.tiles_n = 2;
  contents_.launch(twice, kLives);
  bring_in_strip(4);
  EXPECT_EQ(missing(4), 0);
  EXPECT_EQ(missing(5), 8);
}

/// The middles of the eighths of what sets of three ways have lost.
TEST(L2CacheConfig, EighthsLiveAsInSetsOfThreeWays) {
  L2CacheConfig cache;
  cache.capacity_bytes = 1'000'000'000;
  double gone = 1.0 / 16;
  for (const std::int64_t life : cache.lives_bytes()) {
    const double x = static_cast<double>(life) / 1e9;
    EXPECT_NEAR(1 - (1 + 3 * x + 4.5 * x * x) * std::exp(-3 * x), gone, 5e-4);
    gone += 1.0 / 8;
  }
}

TEST(L2CacheConfig, NothingLeavesACacheWithoutLimit) {
  L2CacheConfig cache;
  cache.capacity_bytes = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t life : cache.lives_bytes()) EXPECT_GE(life, std::int64_t{1} << 61);
}

TEST(KernelLaunch, ReadsOnceWhatOneCtaReadsInOneStep) {
  KernelLaunch launch;
  launch.tiles_m = 3;
  launch.k_steps = 1;
  launch.a.strips = launch.a.distinct_strips = 3;
  EXPECT_TRUE(launch.reads_once(Operand::a));
  EXPECT_FALSE(launch.reads_once(Operand::b));
  KernelLaunch other = launch;
  other.tiles_n = 2;
  EXPECT_FALSE(other.reads_once(Operand::a));
  other = launch;
  other.k_steps = 2;
  EXPECT_FALSE(other.reads_once(Operand::a));
  other = launch;
  other.a.distinct_strips = 2;
  EXPECT_FALSE(other.reads_once(Operand::a));
}

}  // namespace
}  // namespace stcsim::test
