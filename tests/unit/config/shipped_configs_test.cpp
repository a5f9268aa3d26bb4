#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/system.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;

// Every file below configs/ is read, and is named what its file is named.

template <class Config>
void expect_named_files(ConfigKind kind, Config (*load)(const std::string&, const Overrides&)) {
  const std::vector<CatalogEntry> entries = list_configs(kind);
  EXPECT_FALSE(entries.empty());
  for (const CatalogEntry& entry : entries) {
    const Config config = load(entry.name, {});
    EXPECT_EQ(config.name, entry.name);
    EXPECT_NE(config.description, "") << entry.name;
  }
}

TEST(ShippedConfigs, MachinesLoadUnderTheirFilesName) {
  const std::vector<CatalogEntry> entries = list_configs(ConfigKind::machine);
  EXPECT_FALSE(entries.empty());
  for (const CatalogEntry& entry : entries) {
    const MachineSpec machine = load_machine(entry.name);
    EXPECT_EQ(machine.name, entry.name);
    EXPECT_NE(machine.config.description, "") << entry.name;
  }
}

/// What unknown GPUs are answered with.
TEST(ShippedConfigs, NearestMachinesAreShippedForNamesThatAreNot) {
  std::ifstream lines(config_directory() / "arch/nearest.csv");
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  while (std::getline(lines, line)) {
    const std::size_t comma = line.find(',');
    ASSERT_NE(comma, std::string::npos) << line;
    EXPECT_FALSE(names_config(ConfigKind::machine, line.substr(0, comma))) << line;
    const std::string near = line.substr(comma + 1);
    EXPECT_TRUE(near.empty() || names_config(ConfigKind::machine, near)) << line;
  }
}

TEST(ShippedConfigs, NetworksLoadUnderTheirFilesName) {
  expect_named_files(ConfigKind::network, load_network);
}

TEST(ShippedConfigs, SchemesLoadUnderTheirFilesName) {
  expect_named_files(ConfigKind::scheme, load_scheme);
}

TEST(ShippedConfigs, FrameworksLoadUnderTheirFilesName) {
  expect_named_files(ConfigKind::framework, load_framework);
}

TEST(ShippedConfigs, ExperimentsLoadAndResolveToThemselves) {
  const std::vector<CatalogEntry> entries = list_configs(ConfigKind::experiment);
  EXPECT_FALSE(entries.empty());
  for (const CatalogEntry& entry : entries) {
    const Experiment experiment = load_experiment(entry.path);
    const Experiment again = parse_resolved_experiment(experiment.resolved_config, entry.name);
    EXPECT_EQ(again.resolved_config, experiment.resolved_config) << entry.name;
  }
}

TEST(SystemFiles, AllAreReadAndNameAMachine) {
  for (const CatalogEntry& entry : list_configs(ConfigKind::system)) {
    const SystemConfig system = load_system(entry.name);
    EXPECT_EQ(system.name, entry.name);
    EXPECT_TRUE(names_config(ConfigKind::machine, system.machine)) << system.machine;
  }
}

/// Numbers of links near zero would make times without end.
TEST(SystemFiles, LinksHaveRanges) {
  const test::TemporaryDirectory folder;
  const std::string text = test::read_file(config_directory() / "systems" / "dgx_a100.yaml");
  const auto error_with = [&](const std::string& key, const std::string& number) {
    std::string changed = text;
    const std::size_t at = changed.find(key + ": ") + key.size() + 2;
    changed.replace(at, changed.find_first_of(" ,}", at) - at, number);
    std::ofstream(folder.path() / "mine.yaml") << changed;
    return test::message_of<ConfigError>(
        [&] { static_cast<void>(load_system((folder.path() / "mine.yaml").string())); });
  };
  const std::string place = (folder.path() / "mine.yaml").string() + ":";
  EXPECT_EQ(error_with("gb_per_s", "1e-320"),
            place + "9:13: error: 'gb_per_s' is '1e-320', must be a number from 0.001 to 1000000");
  EXPECT_THAT(error_with("own_gb_per_s", "0"), HasSubstr("must be a number from 0.001 to 1000000"));
  EXPECT_THAT(error_with("share", "1e-9"), HasSubstr("'share' is '1e-9', must be a number from "
                                                     "0.001 to 1"));
}

}  // namespace
}  // namespace stcsim
