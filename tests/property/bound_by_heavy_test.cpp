#include <gtest/gtest.h>

#include "tests/property/bound_by_check.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// In samples of 300 of four seeds it agreed in 289 to 292; four of 40 may differ.
TEST(BoundByAgainstExperiment, AgreesMostly) {
  expect_agreement(seed_or(4), 40, 90);
}

}  // namespace
}  // namespace stcsim::test
