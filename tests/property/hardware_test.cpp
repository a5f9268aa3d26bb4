#include <gtest/gtest.h>

#include "tests/property/hardware_case.hpp"
#include "tests/support/seed.hpp"

namespace stcsim {
namespace {

TEST(Hardware, MoreOfItNeverHurts) {
  test::expect_hardware_never_hurts(test::seed_or(41), 6);
}

}  // namespace
}  // namespace stcsim
