#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "tests/property/every_number.hpp"

namespace stcsim::test {
namespace {

std::vector<std::string> machines_of_soak() {
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

INSTANTIATE_TEST_SUITE_P(Machines, EveryNumberSoak, testing::ValuesIn(machines_of_soak()),
                         [](const auto& machine) { return machine.param; });

}  // namespace
}  // namespace stcsim::test
