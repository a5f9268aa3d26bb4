#include <gtest/gtest.h>

#include "tests/property/bound_by_check.hpp"
#include "tests/property/sampled_case.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

TEST(Sampled, HoldsTheTrueCyclesInsideItsBound) {
  constexpr std::int64_t kCases = 5;
  constexpr double kWidth = 0.01;
  const std::uint64_t seed = seed_or(20261123);
  SCOPED_TRACE(seed);
  SampledCases cases(seed);
  const SampledSummary summary = sample_cases(cases, kCases);
  EXPECT_EQ(summary.inside, kCases);
  EXPECT_LE(summary.median_width, kWidth);
  EXPECT_EQ(summary.in_vain, 0);
  EXPECT_LT(2 * summary.sampled_events, summary.exact_events);
}

/// A fixed sample; samples_soak_test.cpp takes 300. In samples of 300 of seven seeds it agreed in
/// 279 to 295. Which rows are drawn changes with every network that is shipped.
TEST(BoundByAgainstExperiment, AgreesMostly) {
  expect_agreement(seed_or(4), 200, 90);
}

}  // namespace
}  // namespace stcsim::test
