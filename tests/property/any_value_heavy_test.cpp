#include <gtest/gtest.h>

#include "tests/property/any_value.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

constexpr std::int64_t kCasesPerProcess = 100;
constexpr int kProcesses = 8;

class AnyValueTest : public testing::TestWithParam<int> {};

TEST_P(AnyValueTest, OfAnyNumberIsSimulatedOrRefused) {
  const auto process = static_cast<std::uint64_t>(GetParam());
  expect_results_or_refusals(seed_or(20261122) + process, kCasesPerProcess);
}
INSTANTIATE_TEST_SUITE_P(Seeds, AnyValueTest, testing::Range(0, kProcesses));

}  // namespace
}  // namespace stcsim::test
