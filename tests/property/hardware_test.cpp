#include <gtest/gtest.h>

#include "tests/property/hardware_check.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

TEST(Hardware, MoreOfItNeverHurts) {
  const CountedCases few = expect_hardware_never_hurts(seed_or(41), 8);
  EXPECT_LE(few.most_percent, kMostCountedPercent);
}

TEST(Hardware, TheRankingAddsNoMoreThanItsRegret) {
  const Regret regret = expect_ranking_adds_its_regret(seed_or(43), 8);
  EXPECT_LE(regret.most_percent, kMostRegretPercent);
}

}  // namespace
}  // namespace stcsim::test
