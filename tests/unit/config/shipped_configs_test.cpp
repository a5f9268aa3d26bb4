#include <fstream>

#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

// Every file below configs/ is read, and is named what its file is named.

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
  const std::vector<CatalogEntry> entries = list_configs(ConfigKind::network);
  EXPECT_FALSE(entries.empty());
  for (const CatalogEntry& entry : entries) {
    const Network network = load_network(entry.name);
    EXPECT_EQ(network.name, entry.name);
    EXPECT_NE(network.description, "") << entry.name;
  }
}

TEST(ShippedConfigs, SchemesLoadUnderTheirFilesName) {
  const std::vector<CatalogEntry> entries = list_configs(ConfigKind::scheme);
  EXPECT_FALSE(entries.empty());
  for (const CatalogEntry& entry : entries) {
    const Scheme scheme = load_scheme(entry.name);
    EXPECT_EQ(scheme.name, entry.name);
    EXPECT_NE(scheme.description, "") << entry.name;
  }
}

TEST(ShippedConfigs, FrameworksLoadUnderTheirFilesName) {
  const std::vector<CatalogEntry> entries = list_configs(ConfigKind::framework);
  EXPECT_FALSE(entries.empty());
  for (const CatalogEntry& entry : entries) {
    const Framework framework = load_framework(entry.name);
    EXPECT_EQ(framework.name, entry.name);
    EXPECT_NE(framework.description, "") << entry.name;
  }
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

}  // namespace
}  // namespace stcsim
