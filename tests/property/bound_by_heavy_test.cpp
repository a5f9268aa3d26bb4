#include <gtest/gtest.h>

#include "tests/property/bound_by_check.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// A fixed sample; bound_by_soak_test.cpp takes 300. In samples of 300 of seven seeds it agreed in
/// 279 to 295. Which rows are drawn changes with every network that is shipped.
TEST(BoundByAgainstExperiment, AgreesMostly) {
  expect_agreement(seed_or(4), 200, 90);
}

}  // namespace
}  // namespace stcsim::test
