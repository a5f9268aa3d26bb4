#include <gtest/gtest.h>

#include "tests/property/physics_case.hpp"
#include "tests/support/seed.hpp"

namespace stcsim {
namespace {

TEST(Physics, NoLaunchIsFasterThanWhatItMovesAndMultipliesAllows) {
  test::expect_physics_on_random_machines(test::seed_or(12), 40);
}

}  // namespace
}  // namespace stcsim
