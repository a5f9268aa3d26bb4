#include "tests/property/any_value.hpp"

#include <gtest/gtest.h>

#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

TEST(AnyValue, OfAnyNumberIsSimulatedOrRefused) {
  expect_results_or_refusals(seed_or(3), 60);
}

}  // namespace
}  // namespace stcsim::test
