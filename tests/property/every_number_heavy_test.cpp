#include <gtest/gtest.h>

#include "tests/property/every_number.hpp"

namespace stcsim::test {
namespace {

/// Every number of a machine whose instructions read shared memory does what the table of its field
/// says; rtx3090 is among the fast tests, every_number_soak_test.cpp takes all machines.
TEST(EveryNumberHeavy, OfTheH100DoesSomething) {
  const ChangedMachines machines("h100_sxm");
  EXPECT_GT(machines.numbers().size(), 70U);
  for (const std::string& wrong : machines.check_all(machines.numbers())) ADD_FAILURE() << wrong;
}

}  // namespace
}  // namespace stcsim::test
