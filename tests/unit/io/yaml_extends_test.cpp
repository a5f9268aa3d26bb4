#include <gtest/gtest.h>

#include "common/io/yaml_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

class Extends : public testing::Test {
 protected:
  std::string json_of(const std::string& name) {
    return canonical_json(load_config(ConfigKind::machine, folder_.at(name)).root);
  }
  std::string error_in(const std::string& name) {
    return error_of([&] { (void)json_of(name); });
  }

  ScratchFolder folder_;
  EnvironmentVariable directory_{"STCSIM_CONFIG_DIR", folder_.path().string()};
};

TEST_F(Extends, MergesMapsAndReplacesTheRest) {
  folder_.write("arch/base.yaml",
                "name: base\nclock_mhz: 1000\nsm: {cores: 4, l: [1, 2], t: {a: 1, b: 2}}\n");
  folder_.write(
      "x.yaml",
      "extends: base\nname: x\nsm:\n  l: [3]\n  t: {b: 5}\n  new: {c: 1}\nclock_mhz: 9\n");
  EXPECT_EQ(
      json_of("x.yaml"),
      R"({"clock_mhz":9,"name":"x","sm":{"cores":4,"l":[3],"new":{"c":1},"t":{"a":1,"b":5}}})");
}

TEST_F(Extends, KeepsThePlacesOfBothFiles) {
  const std::string base = folder_.write("arch/base.yaml", "a: 1\nm: {b: 2, c: 3}\n");
  const std::string derived = folder_.write("x.yaml", "extends: base\nm:\n  c: 4\n");
  const YamlNode root = load_config(ConfigKind::machine, derived).root;
  EXPECT_EQ(root.find("a")->location.to_string(), base + ":1:4");
  EXPECT_EQ(root.find("m")->find("b")->location.to_string(), base + ":2:8");
  EXPECT_EQ(root.find("m")->find("c")->location.to_string(), derived + ":3:6");
  EXPECT_EQ(root.location.to_string(), derived + ":1:1");
}

TEST_F(Extends, FollowsAChainRelativeToEachFile) {
  folder_.write("a/one.yaml", "extends: ../b/two.yaml\nx: 1\n");
  folder_.write("b/two.yaml", "extends: ./three.yaml\nx: 2\ny: 2\n");
  folder_.write("b/three.yaml", "name: three\nx: 3\ny: 3\nz: 3\n");
  EXPECT_EQ(json_of("a/one.yaml"), R"({"x":1,"y":2,"z":3})");
}

TEST_F(Extends, RefusesCircles) {
  const std::string a = folder_.write("a.yaml", "x: 1\nextends: ./b.yaml\n");
  const std::string b = folder_.write("b.yaml", "extends: ./a.yaml\n");
  EXPECT_EQ(error_in("a.yaml"),
            b + ":1:10: error: 'extends' runs in a circle: " + a + " -> " + b + " -> " + a);
  const std::string self = folder_.write("s.yaml", "extends: ./s.yaml\n");
  EXPECT_EQ(error_in("s.yaml"),
            self + ":1:10: error: 'extends' runs in a circle: " + self + " -> " + self);
}

TEST_F(Extends, ReportsWhatCannotBeFollowed) {
  const std::string x = folder_.write("x.yaml", "name: x\nextends: a10\n");
  folder_.write("arch/a100.yaml", "name: a100\n");
  EXPECT_EQ(error_in("x.yaml"), x + ":2:10: error: unknown machine 'a10', must be a path or a "
                                    "shipped one such as a100 ('stcsim list arch' shows all)");
  const std::string y = folder_.write("y.yaml", "extends: ./none.yaml\n");
  EXPECT_EQ(error_in("y.yaml"),
            y + ":1:10: error: machine file '" + folder_.at("none.yaml") + "' does not exist");
  const std::string z = folder_.write("z.yaml", "extends: [a]\n");
  EXPECT_EQ(error_in("z.yaml"), z + ":1:10: error: 'extends' is a list, must be a text");
}

TEST_F(Extends, WorksForMapsInsideOtherFiles) {
  folder_.write("arch/base.yaml", "name: base\na: 1\nb: 2\n");
  YamlNode root = parse_yaml("m: {extends: base, name: x, b: 3}", folder_.at("e.yaml")).root;
  resolve_extends(*root.find("m"), ConfigKind::machine);
  EXPECT_EQ(canonical_json(root), R"({"m":{"a":1,"b":3,"name":"x"}})");
}

}  // namespace
}  // namespace stcsim
