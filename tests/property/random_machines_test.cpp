#include "tests/property/random_machines.hpp"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/property/best_stack_case.hpp"
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

/// BestStack.* of make soak have two thousand, larger ones among them.
TEST(BestStack, NoStackIsFaster) {
  constexpr std::int64_t kCases = 100;
  constexpr std::int64_t kMostMacs = 3'000'000'000;
  const std::uint64_t seed = seed_or(20261127);
  SCOPED_TRACE("seed " + std::to_string(seed));
  BestStackCases cases(seed, kMostMacs);
  ASSERT_LE(cases.machines(), kCases);
  for (std::int64_t at = 0; at < kCases; ++at) cases.check_next();
  cases.print_summary();
  EXPECT_GT(cases.of_libraries(), 0);
}

}  // namespace
}  // namespace stcsim::test
