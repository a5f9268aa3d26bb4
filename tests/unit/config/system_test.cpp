#include "sim/config/system.hpp"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;

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
