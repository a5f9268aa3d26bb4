#include <gtest/gtest.h>

#include "tests/property/physics_case.hpp"
#include "tests/support/seed.hpp"

namespace stcsim {
namespace {

/// SystemC wants all machines before the first run, so a process does as many at a time: 2400 GEMMs
/// and as many stream kernels in all.
constexpr std::int64_t kMachinesPerProcess = 50;
constexpr int kPhysicsProcesses = 8;

class PhysicsTest : public testing::TestWithParam<int> {};

TEST_P(PhysicsTest, NoLaunchIsFasterThanWhatItMovesAndMultipliesAllows) {
  const auto process = static_cast<std::uint64_t>(GetParam());
  test::expect_physics_on_random_machines(test::seed_or(20261122) + process, kMachinesPerProcess);
}
INSTANTIATE_TEST_SUITE_P(Seeds, PhysicsTest, testing::Range(0, kPhysicsProcesses));

}  // namespace
}  // namespace stcsim
