#include "common/io/yaml_merge.hpp"

#include <gtest/gtest.h>

#include "common/io/yaml_json.hpp"
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

const std::string kText = "dtype: fp16\nnetworks: [resnet50, {name: vit}]\na: {b: {c: 1}}\nnone:\n";

YamlNode tree() {
  return parse_yaml(kText, "f.yaml").root;
}

/// The tree after the overrides, as JSON.
std::string after(const std::vector<std::string>& assignments) {
  YamlNode root = tree();
  apply_overrides(root, assignments);
  return canonical_json(root);
}

std::string error_with(const std::string& assignment) {
  return error_of([&] { (void)after({assignment}); });
}

TEST(Override, ReplacesValuesOfEveryKind) {
  EXPECT_EQ(
      after({"dtype=bf16"}),
      R"({"a":{"b":{"c":1}},"dtype":"bf16","networks":["resnet50",{"name":"vit"}],"none":null})");
  EXPECT_EQ(after({"a.b.c=2.5", "networks=[x]"}),
            R"({"a":{"b":{"c":2.5}},"dtype":"fp16","networks":["x"],"none":null})");
  EXPECT_EQ(after({"a={d: [1, 2]}", "networks=[]"}),
            R"({"a":{"d":[1,2]},"dtype":"fp16","networks":[],"none":null})");
  EXPECT_EQ(after({"a=\"7\"", "networks=x=y.z"}),
            R"({"a":"7","dtype":"fp16","networks":"x=y.z","none":null})");
}

TEST(Override, MakesKeysThatAreNotThereYet) {
  EXPECT_EQ(after({"none.x.y=1", "a.b.d=2:4", "networks=[]"}),
            R"({"a":{"b":{"c":1,"d":"2:4"}},"dtype":"fp16","networks":[],"none":{"x":{"y":1}}})");
}

TEST(Override, ReachesListElementsAndTurnsNamesIntoMaps) {
  EXPECT_EQ(after({"networks.0.batch=32", "networks.0.x.y=1", "networks.1.batch=8", "a=1"}),
            R"({"a":1,"dtype":"fp16","networks":[{"batch":32,"name":"resnet50","x":{"y":1}},)"
            R"({"batch":8,"name":"vit"}],"none":null})");
  EXPECT_EQ(after({"networks.1=bert", "a=1"}),
            R"({"a":1,"dtype":"fp16","networks":["resnet50","bert"],"none":null})");
}

/// A key that is there is found although it contains dots; the longest of several.
TEST(Override, FindsKeysWithDots) {
  YamlNode root = parse_yaml("axes: {gemm.k: [1], gemm: {k: 2}, gemm.k.x: 3}", "f.yaml").root;
  apply_overrides(root, {"axes.gemm.k=[5]", "axes.gemm.m=4", "axes.gemm.k.x=6", "axes.gemm.k.0=7"});
  EXPECT_EQ(canonical_json(root), R"({"axes":{"gemm":{"k":2,"m":4},"gemm.k":[7],"gemm.k.x":6}})");
}

TEST(Override, ShowsItselfAsThePlace) {
  YamlNode root = tree();
  apply_override(root, "networks.0.new.key=7");
  const YamlNode& network = root.find("networks")->items[0];
  EXPECT_EQ(network.find("name")->location.to_string(), "f.yaml:2:12");
  EXPECT_EQ(network.find("new")->find("key")->location.to_string(), "--set networks.0.new.key=7");
  EXPECT_EQ(network.find("new")->entries[0].key_location.to_string(), "--set networks.0.new.key=7");
}

TEST(Override, RefusesWhatIsNoAssignment) {
  EXPECT_EQ(error_with("dtype"),
            "--set dtype: error: no '=', must be key=value such as networks.0.batch=32");
  EXPECT_EQ(error_with("dtype="),
            "--set dtype=: error: no value after '=', must be key=value such as "
            "networks.0.batch=32");
  EXPECT_EQ(error_with("=1"), "--set =1: error: a key is empty, must be a name or an index");
  EXPECT_EQ(error_with("a..c=1"),
            "--set a..c=1: error: a key is empty, must be a name or an index");
  EXPECT_EQ(error_with("a.=1"), "--set a.=1: error: a key is empty, must be a name or an index");
  EXPECT_EQ(error_with("a={x: 1, x: 2}"),
            "--set a={x: 1, x: 2}: error: key 'x' is here a second time, the first is at line 1");
}

TEST(Override, RefusesPathsBelowAValue) {
  EXPECT_EQ(error_with("dtype.x=1"), "--set dtype.x=1: error: 'dtype' is 'fp16', it has no 'x'");
  EXPECT_EQ(error_with("a.b.c.d=1"), "--set a.b.c.d=1: error: 'a.b.c' is '1', it has no 'd'");
  EXPECT_EQ(error_with("networks.1.name.x=1"),
            "--set networks.1.name.x=1: error: 'networks.1.name' is 'vit', it has no 'x'");
}

TEST(Override, RefusesIndicesThatAreNone) {
  EXPECT_EQ(error_with("networks.2=x"),
            "--set networks.2=x: error: 'networks' is a list, '2' must be an index from 0 to 1");
  EXPECT_EQ(error_with("networks.-1=x"),
            "--set networks.-1=x: error: 'networks' is a list, '-1' must be an index from 0 to 1");
  EXPECT_EQ(
      error_with("networks.batch=3"),
      "--set networks.batch=3: error: 'networks' is a list, 'batch' must be an index from 0 to 1");
  YamlNode root = parse_yaml("l: []", "f.yaml").root;
  EXPECT_EQ(error_of([&] { apply_override(root, "l.0=1"); }),
            "--set l.0=1: error: 'l' is an empty list, it has no '0'");
}

std::string json_of(const std::string& text) {
  return canonical_json(parse_yaml(text, "f.yaml").root);
}

TEST(CanonicalJson, KeepsTypesAndSortsKeys) {
  EXPECT_EQ(json_of("b: 1\na: [x, 2.50, true, \"3\", \"true\", ~]\nc: {z: -0.5, y: 1e3}\n"),
            R"({"a":["x",2.5,true,"3","true",null],"b":1,"c":{"y":1000.0,"z":-0.5}})");
  EXPECT_EQ(json_of("p: 2:4\nq: 010\nr: 0x10\ns: .5\nt: 'x \"y\"'\nu: \xC3\xA9\n"),
            "{\"p\":\"2:4\",\"q\":\"010\",\"r\":\"0x10\",\"s\":\".5\",\"t\":\"x \\\"y\\\"\","
            "\"u\":\"\xC3\xA9\"}");
  EXPECT_EQ(json_of("big: 42949672960\nhuge: 9223372036854775808\n"),
            R"({"big":42949672960,"huge":9.223372036854776e+18})");
}

TEST(CanonicalJson, DoesNotDependOnHowItWasWritten) {
  EXPECT_EQ(json_of("a: {x: 1.50, y: [1, 2]}\nb: s\n"),
            json_of("# comment\nb: 's'\na:\n  y:\n    - 1\n    - 2\n  x: 1.5\n"));
}

TEST(CanonicalJson, ReadsBackAsItself) {
  const std::string json =
      json_of("a: [x, 2.50, true, \"3\", ~, 1e300, -7]\nb: {c: \"l1\\nl2\", d: [], e: {}}\n");
  EXPECT_EQ(json_of(json), json);
}

}  // namespace
}  // namespace stcsim
