#include <gtest/gtest.h>

#include "tests/property/bound_by_check.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// In samples of 300 of four seeds it agreed in 266 to 271; of 40, fewer may.
TEST(BoundByAgainstExperiment, AgreesMostly) {
  expect_agreement(seed_or(4), 40, 80);
}

}  // namespace
}  // namespace stcsim::test
