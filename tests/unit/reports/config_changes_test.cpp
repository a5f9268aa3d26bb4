#include <gtest/gtest.h>

#include "reports/compare/comparison.hpp"

namespace stcsim {
namespace {

using Changes = std::vector<ConfigChange>;

TEST(ConfigChanges, EqualOnesHaveNone) {
  EXPECT_EQ(config_changes(R"({"a": 1, "b": [1, 2]})", R"({"b": [1, 2], "a": 1})"), Changes{});
}

TEST(ConfigChanges, NamesKeysOfMachinesNetworksAndSchemes) {
  const std::string before =
      R"({"dtype": "fp16", "machines": [{"name": "a100", "accelerator": {"l2_cache":
          {"read_bytes_per_clk": 3840, "slices": 80}}}], "networks": [{"name": "n", "layers":
          [{"name": "fc", "in_features": 64}]}], "schemes": [{"name": "asp"}]})";
  const std::string now =
      R"({"dtype": "int8", "machines": [{"name": "a100", "accelerator": {"l2_cache":
          {"read_bytes_per_clk": 2560, "slices": 80}}}], "networks": [{"name": "n", "layers":
          [{"name": "fc", "in_features": 128}]}], "schemes": [{"name": "sdgp"}]})";
  EXPECT_EQ(config_changes(before, now),
            (Changes{{"dtype", "fp16", "int8"},
                     {"machine a100: accelerator.l2_cache.read_bytes_per_clk", "3840", "2560"},
                     {"network n: layers.fc.in_features", "64", "128"},
                     {"scheme sdgp: name", "asp", "sdgp"}}));
}

TEST(ConfigChanges, ListsOfNumbersAreShownAsAWhole) {
  EXPECT_EQ(config_changes(R"({"split_k": [1, 2]})", R"({"split_k": [1, 2, 4]})"),
            (Changes{{"split_k", "[1,2]", "[1,2,4]"}}));
}

TEST(ConfigChanges, NewKeysOfListsWithoutNamesHaveTheirIndex) {
  EXPECT_EQ(config_changes(R"({"a": [{"b": 1}]})", R"({"a": [{"b": 1}, {"b": 2}]})"),
            (Changes{{"a.1", "-", "{\"b\":2}"}}));
}

TEST(ConfigChanges, LongValuesAreCut) {
  const Changes changes =
      config_changes(R"({"a": "x"})", R"({"a": ")" + std::string(1000, 'y') + R"("})");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].now.size(), 60U);
}

TEST(ConfigChanges, OfSeveralMachinesEachIsNewOrGoneByItsName) {
  EXPECT_EQ(
      config_changes(R"({"machines": [{"name": "a"}, {"name": "b"}]})",
                     R"({"machines": [{"name": "a"}, {"name": "c"}]})"),
      (Changes{{"machine b", "{\"name\":\"b\"}", "-"}, {"machine c", "-", "{\"name\":\"c\"}"}}));
}

}  // namespace
}  // namespace stcsim
