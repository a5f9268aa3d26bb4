#include <gtest/gtest.h>

#include "tests/property/bound_by_check.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// In samples of 300 of five seeds it agreed in 286 to 295; four of 40 may differ.
TEST(BoundByAgainstExperiment, AgreesMostly) {
  expect_agreement(seed_or(4), 40, 90);
}

}  // namespace
}  // namespace stcsim::test
