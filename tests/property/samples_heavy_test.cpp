#include <gtest/gtest.h>

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

}  // namespace
}  // namespace stcsim::test
