#include <gtest/gtest.h>

#include "tests/property/bound_by_check.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// In samples of 300 of seven seeds it agreed in 279 to 295. Which rows are drawn changes with
/// every network that is shipped.
TEST(BoundByAgainstExperiment, AgreesMostly) {
  expect_agreement(seed_or(4), 300, 90);
}

}  // namespace
}  // namespace stcsim::test
