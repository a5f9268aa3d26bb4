#include "common/io/yaml_reader.hpp"

#include <array>
#include <utility>

#include <gtest/gtest.h>

#include "tests/unit/config/reader_error.hpp"

namespace stcsim {
namespace {

enum class Color : std::uint8_t { red, green };
constexpr std::array<std::pair<std::string_view, Color>, 2> kColors{
    {{"red", Color::red}, {"green", Color::green}}};

TEST(MapReaderList, ReadsNumbersAndPairs) {
  const YamlDocument document = parse_yaml("a: [1, 2, 3]\nb: [3, 5]\nc: 7\nd: [x, y]", "f.yaml");
  MapReader map(document);
  EXPECT_EQ(map.get_int_list("a", kPositive), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(map.get_int_pair("b", kPositive), (std::array<std::int64_t, 2>{3, 5}));
  EXPECT_EQ(map.get_int_or_pair("b", kPositive), (std::array<std::int64_t, 2>{3, 5}));
  EXPECT_EQ(map.get_int_or_pair("c", kPositive), (std::array<std::int64_t, 2>{7, 7}));
  EXPECT_EQ(map.get_string_list("d"), (std::vector<std::string>{"x", "y"}));
}

TEST(MapReaderList, NamesTheElementThatIsWrong) {
  const auto list = [](MapReader& map) { (void)map.get_int_list("x", kPositive); };
  const auto pair = [](MapReader& map) { (void)map.get_int_pair("x", kPositive); };
  const auto either = [](MapReader& map) { (void)map.get_int_or_pair("x", kPositive); };
  EXPECT_EQ(error_in("x: [1, 0]", list),
            "f.yaml:1:8: error: 'x.1' is '0', must be a whole number of at least 1");
  EXPECT_EQ(error_in("x: 1", list), "f.yaml:1:4: error: 'x' is '1', must be a list");
  EXPECT_EQ(error_in("x: 1", pair), "f.yaml:1:4: error: 'x' is '1', must be a list of two numbers");
  EXPECT_EQ(error_in("x: [1, 2, 3]", pair),
            "f.yaml:1:4: error: 'x' is a list of 3, must be a list of two numbers");
  EXPECT_EQ(error_in("x: [1]", either),
            "f.yaml:1:4: error: 'x' is a list of 1, must be a number or a list of two");
  EXPECT_EQ(error_in("x: {a: 1}", either),
            "f.yaml:1:4: error: 'x' is a map, must be a number or a list of two");
  EXPECT_EQ(error_in("x: [1, y]", either),
            "f.yaml:1:8: error: 'x.1' is 'y', must be a whole number of at least 1");
}

TEST(MapReaderMap, GivesNestedReadersTheirPath) {
  const YamlDocument document =
      parse_yaml("a:\n  b: {c: 1}\nl:\n  - {c: 2}\n  - {d: 3}\n", "f.yaml");
  MapReader map(document);
  MapReader a = map.get_map("a");
  MapReader b = a.get_map("b");
  EXPECT_EQ(b.get_int("c", kPositive), 1);
  EXPECT_EQ(b.path(), "a.b");
  b.finish();
  std::vector<MapReader> list = map.get_maps("l");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].get_int("c", kPositive), 2);
  EXPECT_EQ(list[1].location().to_string(), "f.yaml:5:5");
  EXPECT_EQ(error_of([&] {
              (void)list[1].get_int("c", kPositive);
              list[1].finish();
            }),
            "f.yaml:5:6: error: unknown key 'd' in 'l.1'; known keys: c");
  map.finish();
}

TEST(MapReaderMap, RefusesWhatIsNoMap) {
  EXPECT_EQ(error_in("x: 5", [](MapReader& map) { (void)map.get_map("x"); }),
            "f.yaml:1:4: error: 'x' is '5', must be a map of keys and values");
  EXPECT_EQ(error_in("x: [{a: 1}, 5]", [](MapReader& map) { (void)map.get_maps("x"); }),
            "f.yaml:1:13: error: 'x.1' is '5', must be a map of keys and values");
}

TEST(MapReaderFinish, SuggestsTheNearestKnownKey) {
  const auto read = [](MapReader& map) {
    MapReader accelerator = map.get_map("accelerator");
    (void)accelerator.get_int("num_sms", kPositive);
    (void)accelerator.get_int_or("sub_cores", 4, kPositive);
    accelerator.finish();
  };
  EXPECT_EQ(error_in("accelerator:\n  num_smss: 108\n", read),
            "f.yaml:2:3: error: unknown key 'num_smss' in 'accelerator'; did you mean 'num_sms'?");
  EXPECT_EQ(error_in("accelerator:\n  num_sms: 108\n  subcores: 4\n", read),
            "f.yaml:3:3: error: unknown key 'subcores' in 'accelerator'; did you mean "
            "'sub_cores'?");
  EXPECT_EQ(error_in("accelerator:\n  num_sms: 108\n  color: red\n", read),
            "f.yaml:3:3: error: unknown key 'color' in 'accelerator'; known keys: num_sms, "
            "sub_cores");
  EXPECT_EQ(error_in("accelerator:\n  sub_cores: 4\n", read),
            "f.yaml:2:3: error: 'num_sms' is missing in 'accelerator'");
}

TEST(MapReaderFinish, LeavesOutThePlaceAtTheTopLevel) {
  const auto read = [](MapReader& map) {
    (void)map.get_string("name");
    map.finish();
  };
  EXPECT_EQ(error_in("nam: x\n", read),
            "f.yaml:1:1: error: unknown key 'nam'; did you mean 'name'?");
  EXPECT_EQ(error_in("{}", read), "f.yaml:1:1: error: 'name' is missing");
}

TEST(MapReaderFinish, AcceptsKeysAskedForInAnyWay) {
  EXPECT_EQ(error_in("a: 1\nb: x\n",
                     [](MapReader& map) {
                       EXPECT_TRUE(map.has("a"));
                       EXPECT_FALSE(map.has("c"));
                       EXPECT_EQ(map.get_node("b").text, "x");
                       map.finish();
                     }),
            "no error");
}

TEST(MapReaderMissing, MapsListsAndEnumsFailAtOnce) {
  EXPECT_EQ(error_in("l2_cach: {}", [](MapReader& map) { (void)map.get_map("l2_cache"); }),
            "f.yaml:1:1: error: unknown key 'l2_cach'; did you mean 'l2_cache'?");
  EXPECT_EQ(error_in("dram: {}", [](MapReader& map) { (void)map.get_map("l2_cache"); }),
            "f.yaml:1:1: error: 'l2_cache' is missing");
  EXPECT_EQ(error_in("a: 1", [](MapReader& map) { (void)map.get_list("layers"); }),
            "f.yaml:1:1: error: 'layers' is missing");
  EXPECT_EQ(error_in("a: 1", [](MapReader& map) { (void)map.get_enum("type", kColors); }),
            "f.yaml:1:1: error: 'type' is missing");
  // A key already asked for is no misspelling of another.
  EXPECT_EQ(error_in("dgrad: {}",
                     [](MapReader& map) {
                       (void)map.get_map("dgrad");
                       (void)map.get_map("wgrad");
                     }),
            "f.yaml:1:1: error: 'wgrad' is missing");
}

TEST(MapReaderFail, PointsAtTheValueOrAtTheMap) {
  EXPECT_EQ(error_in("a: 1\nb: 2", [](MapReader& map) { map.fail("b", "wrong"); }),
            "f.yaml:2:4: error: wrong");
  EXPECT_EQ(error_in("a: 1\nb: 2", [](MapReader& map) { map.fail("c", "wrong"); }),
            "f.yaml:1:1: error: wrong");
}

TEST(MapReaderFail, SaysWhatIsMissingRatherThanJudgeItsStandIn) {
  EXPECT_EQ(error_in("a: 1",
                     [](MapReader& map) {
                       EXPECT_EQ(map.get_int("b", {3, 9}), 3);
                       map.fail("a", "'a' must be more than 'b'");
                     }),
            "f.yaml:1:1: error: 'b' is missing");
}

}  // namespace
}  // namespace stcsim
