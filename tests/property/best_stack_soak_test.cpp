#include <cstdint>
#include <cstdio>

#include <gtest/gtest.h>

#include "tests/property/best_stack_case.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

TEST(BestStackSoak, NoStackIsFaster) {
  constexpr std::int64_t kCases = 2000;
  constexpr std::int64_t kMostMacs = 10'000'000'000;
  const std::uint64_t seed = seed_or(20261128);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  BestStackCases cases(seed, kMostMacs);
  for (std::int64_t at = 0; at < kCases; ++at) cases.check_next();
  cases.print_summary();
  EXPECT_GT(cases.of_libraries(), 0);
}

}  // namespace
}  // namespace stcsim::test
