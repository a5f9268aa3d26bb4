#include <cstdlib>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "tests/property/every_number.hpp"

namespace stcsim::test {
namespace {

/// Every number of every shipped machine does what the table of its field says. One machine is
/// among the fast tests.
constexpr const char* kFastMachine = "rtx3090";
constexpr const char* kMachines[]{"a100",     "a100_80gb", "a100_nm", "a100_pcie", "h100_pcie",
                                  "h100_sxm", "rtx4090",   "ideal",   "stc_1024"};
/// Other widths of these: among the tests that take hours.
constexpr const char* kWidened[]{
    "a100_nm8", "a100_nm8_naive", "a100_nm32",           "a100_nm32_naive",
    "h100_nm8", "h100_nm8_naive", "stc_1024_enumerated", "stc_1024_wide"};

class EveryNumberHeavy : public testing::TestWithParam<const char*> {};

TEST_P(EveryNumberHeavy, OfTheMachineDoesSomething) {
  setenv("STCSIM_CONFIG_DIR", STCSIM_SOURCE_DIR "/configs", 1);
  const ChangedMachines machines(GetParam());
  EXPECT_GT(machines.numbers().size(), 40U);
  for (const std::string& wrong : machines.check_all(machines.numbers())) ADD_FAILURE() << wrong;
}

INSTANTIATE_TEST_SUITE_P(Machines, EveryNumberHeavy, testing::ValuesIn(kMachines),
                         [](const auto& machine) { return std::string(machine.param); });

TEST(EveryNumber, LeavesOutNoShippedMachine) {
  setenv("STCSIM_CONFIG_DIR", STCSIM_SOURCE_DIR "/configs", 1);
  std::set<std::string> tested(std::begin(kMachines), std::end(kMachines));
  tested.insert(kFastMachine);
  tested.insert(std::begin(kWidened), std::end(kWidened));
  std::set<std::string> shipped;
  for (const CatalogEntry& entry : list_configs(ConfigKind::machine)) shipped.insert(entry.name);
  EXPECT_EQ(tested, shipped);
}

}  // namespace
}  // namespace stcsim::test
