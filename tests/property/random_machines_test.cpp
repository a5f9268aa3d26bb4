#include "tests/property/random_machines.hpp"

#include <gtest/gtest.h>

#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

TEST(AnyValue, OfAnyNumberIsSimulatedOrRefused) {
  expect_results_or_refusals(seed_or(3), 30);
}

TEST(Physics, NoLaunchIsFasterThanWhatItMovesAndMultipliesAllows) {
  expect_physics_on_random_machines(seed_or(12), 40);
}

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
