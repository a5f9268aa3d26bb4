#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "tests/property/changed_fields.hpp"
#include "tests/property/every_number.hpp"

namespace stcsim::test {
namespace {

std::vector<std::string> every_shipped_machine() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : list_configs(ConfigKind::machine)) names.push_back(entry.name);
  return names;
}

class EveryNumberSoak : public testing::TestWithParam<std::string> {};

/// With all launches, also after one has shown it: a number without effect has none anywhere.
TEST_P(EveryNumberSoak, DoesWhatItsTableSaysInAllLaunches) {
  const ChangedMachines machines(GetParam());
  for (const Number& number : machines.numbers()) {
    EXPECT_EQ(machines.check(number, true), "") << GetParam() << ": " << number.path;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, EveryNumberSoak, testing::ValuesIn(every_shipped_machine()),
                         [](const auto& machine) { return machine.param; });

class ChangedFieldsSoak : public testing::TestWithParam<std::string> {};

TEST_P(ChangedFieldsSoak, AreSimulatedOrRefusedForTheirOwnSake) {
  std::vector<std::string> tried;
  for (const std::string& wrong : check_changed_fields(GetParam(), true, tried)) {
    ADD_FAILURE() << wrong;
  }
  EXPECT_GT(tried.size(), 100U);
}
INSTANTIATE_TEST_SUITE_P(All, ChangedFieldsSoak, testing::ValuesIn(every_shipped_machine()),
                         [](const auto& machine) { return machine.param; });

}  // namespace
}  // namespace stcsim::test
