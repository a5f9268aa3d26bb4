#include <cstdio>

#include <gtest/gtest.h>

#include "tests/property/bound_by_check.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// In samples of four seeds it agreed in 266 to 271 rows.
TEST(BoundBySoak, AgreesWithTheExperiment) {
  const std::uint64_t seed = seed_or(777);
  const Agreement agreement = bound_by_against_experiment(seed, 300);
  std::printf("seed %llu: %lld of %lld agree, %lld unclear\n",
              static_cast<unsigned long long>(seed), static_cast<long long>(agreement.agree),
              static_cast<long long>(agreement.rows), static_cast<long long>(agreement.unclear));
  EXPECT_GE(agreement.agree * 100, agreement.rows * 87);
  EXPECT_LE(agreement.unclear * 5, agreement.rows);
  for (const std::string& one : agreement.differ) std::printf("%s\n", one.c_str());
}

}  // namespace
}  // namespace stcsim::test
