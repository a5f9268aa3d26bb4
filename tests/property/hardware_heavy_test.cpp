#include <gtest/gtest.h>

#include "tests/property/hardware_case.hpp"
#include "tests/support/seed.hpp"

namespace stcsim {
namespace {

/// SystemC wants all machines before the first run, so a process does as many pairs at a time: 2000
/// GEMMs in all.
constexpr std::int64_t kPairsPerProcess = 50;
constexpr int kProcesses = 8;

class HardwareTest : public testing::TestWithParam<int> {};

TEST_P(HardwareTest, MoreOfItNeverHurts) {
  const auto process = static_cast<std::uint64_t>(GetParam());
  test::expect_hardware_never_hurts(test::seed_or(20261122) + process, kPairsPerProcess);
}
INSTANTIATE_TEST_SUITE_P(Seeds, HardwareTest, testing::Range(0, kProcesses));

}  // namespace
}  // namespace stcsim
