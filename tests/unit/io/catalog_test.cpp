#include "common/io/catalog.hpp"

#include <gtest/gtest.h>

#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

class Catalog : public testing::Test {
 protected:
  std::string error_for(ConfigKind kind, const std::string& name,
                        const SourceLocation& where = {}) {
    return error_of([&] { (void)resolve_config(kind, name, folder_.path(), where); });
  }

  ScratchFolder folder_;
  EnvironmentVariable directory_{"STCSIM_CONFIG_DIR", folder_.path().string()};
};

TEST_F(Catalog, ListsYamlFilesByName) {
  folder_.write("arch/b.yaml", "");
  folder_.write("arch/a.yaml", "");
  folder_.write("arch/README.md", "");
  folder_.write("networks/n.yaml", "");
  const std::vector<CatalogEntry> machines = list_configs(ConfigKind::machine);
  ASSERT_EQ(machines.size(), 2U);
  EXPECT_EQ(machines[0].name, "a");
  EXPECT_EQ(machines[0].path.string(), folder_.at("arch/a.yaml"));
  EXPECT_EQ(machines[1].name, "b");
  EXPECT_EQ(list_configs(ConfigKind::network).at(0).name, "n");
  EXPECT_TRUE(list_configs(ConfigKind::scheme).empty());
}

TEST_F(Catalog, ResolvesNamesInTheFolderOfTheirKind) {
  for (const auto& [kind, path] : std::vector<std::pair<ConfigKind, std::string>>{
           {ConfigKind::machine, "arch/x.yaml"},
           {ConfigKind::network, "networks/x.yaml"},
           {ConfigKind::scheme, "schemes/x.yaml"},
           {ConfigKind::experiment, "experiments/x.yaml"}}) {
    folder_.write(path, "");
    EXPECT_EQ(resolve_config(kind, "x", "/").string(), folder_.at(path));
  }
}

TEST_F(Catalog, ResolvesNamesInAnyCaseIfOnlyOneIsMeant) {
  folder_.write("arch/a100.yaml", "");
  folder_.write("schemes/Sdgp.yaml", "");
  EXPECT_EQ(resolve_config(ConfigKind::machine, "A100", "").string(), folder_.at("arch/a100.yaml"));
  EXPECT_EQ(resolve_config(ConfigKind::scheme, "SDGP", "").string(),
            folder_.at("schemes/Sdgp.yaml"));
  folder_.write("arch/A100.yaml", "");
  EXPECT_EQ(resolve_config(ConfigKind::machine, "A100", "").string(), folder_.at("arch/A100.yaml"));
  EXPECT_EQ(resolve_config(ConfigKind::machine, "a100", "").string(), folder_.at("arch/a100.yaml"));
  folder_.write("schemes/sdgp.yaml", "");
  EXPECT_NE(error_for(ConfigKind::scheme, "SDGP"), "");
}

TEST_F(Catalog, ResolvesPathsRelativeToTheBase) {
  folder_.write("sub/x.yaml", "");
  folder_.write("t.csv", "");
  folder_.write("plain", "");
  const auto resolve = [&](const std::string& name, const std::string& base) {
    return resolve_config(ConfigKind::network, name, folder_.path() / base).string();
  };
  EXPECT_EQ(resolve("x.yaml", "sub"), folder_.at("sub/x.yaml"));
  EXPECT_EQ(resolve("../t.csv", "sub"), folder_.at("t.csv"));
  EXPECT_EQ(resolve("./plain", ""), folder_.at("plain"));
  EXPECT_EQ(resolve(folder_.at("t.csv"), "sub"), folder_.at("t.csv"));
}

TEST_F(Catalog, AnswersUnknownNamesWithTheNearest) {
  EXPECT_EQ(error_for(ConfigKind::machine, "a10"),
            "error: unknown machine 'a10', must be a path: none is shipped");
  for (const char* name : {"a100", "h100", "rtx3090", "a100_1_8"}) {
    folder_.write(std::string("arch/") + name + ".yaml", "");
  }
  EXPECT_EQ(error_for(ConfigKind::machine, "a10"),
            "error: unknown machine 'a10', must be a path or a shipped one such as a100, h100, "
            "a100_1_8 ('stcsim list arch' shows all)");
  EXPECT_EQ(error_for(ConfigKind::machine, "a10", {"e.yaml", 3, 5}),
            "e.yaml:3:5: error: unknown machine 'a10', must be a path or a shipped one such as "
            "a100, h100, a100_1_8 ('stcsim list arch' shows all)");
  folder_.write("networks/resnet50.yaml", "");
  folder_.write("schemes/asp.yaml", "");
  folder_.write("experiments/demo.yaml", "");
  EXPECT_EQ(error_for(ConfigKind::network, "resnet"),
            "error: unknown network 'resnet', must be a path or a shipped one such as resnet50 "
            "('stcsim list workloads' shows all)");
  EXPECT_EQ(error_for(ConfigKind::scheme, "x"),
            "error: unknown scheme 'x', must be a path or a shipped one such as asp ('stcsim list "
            "schemes' shows all)");
  EXPECT_EQ(error_for(ConfigKind::experiment, "x"),
            "error: unknown experiment 'x', must be a path or a shipped one such as demo ('stcsim "
            "list experiments' shows all)");
}

TEST_F(Catalog, ReportsFilesThatDoNotExist) {
  EXPECT_EQ(error_for(ConfigKind::network, "none.csv"),
            "error: network file '" + folder_.at("none.csv") + "' does not exist");
}

TEST_F(Catalog, ChecksTheEnvironmentVariable) {
  const EnvironmentVariable wrong("STCSIM_CONFIG_DIR", "/nowhere");
  EXPECT_EQ(error_of([] { (void)config_directory(); }),
            "error: STCSIM_CONFIG_DIR is '/nowhere', must be a directory");
}

TEST(BaseDirectory, IsTheFilesFolderOrTheCurrentOne) {
  EXPECT_EQ(base_directory({"/a/b.yaml", 3, 1}), "/a");
  EXPECT_EQ(base_directory({"b.yaml", 3, 1}), "");
  EXPECT_EQ(base_directory({"--set a=b/c", 0, 0}), "");
  EXPECT_EQ(base_directory({}), "");
}

}  // namespace
}  // namespace stcsim
