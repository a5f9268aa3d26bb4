#include <string>

#include <gtest/gtest.h>

#include "tests/property/every_number.hpp"

namespace stcsim::test {
namespace {

/// Every number of these machines does what the table of its field says; rtx3090 is among the fast
/// tests, every_number_soak_test.cpp takes all machines.
constexpr const char* kTestedMachines[]{"a100_nm", "h100_sxm", "ideal", "stc_1024"};

class EveryNumberHeavy : public testing::TestWithParam<const char*> {};

TEST_P(EveryNumberHeavy, OfTheMachineDoesSomething) {
  const ChangedMachines machines(GetParam());
  EXPECT_GT(machines.numbers().size(), 40U);
  for (const std::string& wrong : machines.check_all(machines.numbers())) ADD_FAILURE() << wrong;
}

INSTANTIATE_TEST_SUITE_P(Machines, EveryNumberHeavy, testing::ValuesIn(kTestedMachines),
                         [](const auto& machine) { return std::string(machine.param); });

}  // namespace
}  // namespace stcsim::test
