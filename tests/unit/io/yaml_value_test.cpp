#include <array>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/unit/config/reader_error.hpp"

namespace stcsim {
namespace {

enum class Shade : std::uint8_t { red, green, blue };
constexpr std::array<std::pair<std::string_view, Shade>, 3> kShades{
    {{"red", Shade::red}, {"green", Shade::green}, {"blue", Shade::blue}}};

const std::string kRightPattern =
    "\"n:m\" with 1 <= n <= m <= 128, \"n:m pairs\" with both even, \"n:mxn:m\" of "
    "blocks, \"V:2:m\" with m from 4, \"n:m outputs\", or dense";

/// The error of reading the whole number `x` from 1 to 100.
std::string int_error(const std::string& value) {
  return error_in("x: " + value + "\n", [](MapReader& map) { (void)map.get_int("x", {1, 100}); });
}

std::int64_t int_in(const std::string& text) {
  const YamlDocument document = parse_yaml("x: " + text, "f.yaml");
  return MapReader(document).get_int("x", {});
}

TEST(MapReaderInt, ReadsPlainDecimals) {
  EXPECT_EQ(int_in("0"), 0);
  EXPECT_EQ(int_in("42"), 42);
  EXPECT_EQ(int_in("-7"), -7);
  EXPECT_EQ(int_in("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(int_in("-9223372036854775808"), INT64_MIN);
}

TEST(MapReaderInt, RefusesEverythingElse) {
  for (const char* text : {"fast", "1.5", "1.0", "1e3", "1_000", "1'000", "0x10", "010", "+5", "5k",
                           "5 6", "true", "9223372036854775808"}) {
    EXPECT_EQ(int_error(text), std::string("f.yaml:1:4: error: 'x' is '") + text +
                                   "', must be a whole number from 1 to 100");
  }
  EXPECT_EQ(int_error("\"5\""),
            "f.yaml:1:4: error: 'x' is the text \"5\", must be a whole number from 1 to 100");
  EXPECT_EQ(int_error("[5]"),
            "f.yaml:1:4: error: 'x' is a list, must be a whole number from 1 to 100");
  EXPECT_EQ(int_error("{a: 5}"),
            "f.yaml:1:4: error: 'x' is a map, must be a whole number from 1 to 100");
  EXPECT_EQ(int_error(""), "f.yaml:1:1: error: 'x' is empty, must be a whole number from 1 to 100");
}

TEST(MapReaderInt, ChecksBothEndsOfTheRange) {
  EXPECT_EQ(int_error("1"), "no error");
  EXPECT_EQ(int_error("100"), "no error");
  EXPECT_EQ(int_error("0"), "f.yaml:1:4: error: 'x' is '0', must be a whole number from 1 to 100");
  EXPECT_EQ(int_error("101"),
            "f.yaml:1:4: error: 'x' is '101', must be a whole number from 1 to 100");
}

TEST(MapReaderInt, NamesOnlyTheEndThatMatters) {
  const auto positive = [](MapReader& map) { (void)map.get_int("x", kPositive); };
  EXPECT_EQ(error_in("x: 0", positive),
            "f.yaml:1:4: error: 'x' is '0', must be a whole number of at least 1");
  EXPECT_EQ(error_in("x: 1000000000000001", positive),
            "f.yaml:1:4: error: 'x' is '1000000000000001', must be a whole number from 1 to "
            "1000000000000000");
  EXPECT_EQ(error_in("x: y", [](MapReader& map) { (void)map.get_int("x", {}); }),
            "f.yaml:1:4: error: 'x' is 'y', must be a whole number");
}

TEST(MapReaderDouble, ReadsJsonNumbers) {
  const YamlDocument document = parse_yaml("a: 1.5\nb: -2\nc: 1e3\nd: 2.5E-1\ne: 0", "f.yaml");
  MapReader map(document);
  EXPECT_EQ(map.get_double("a", {}), 1.5);
  EXPECT_EQ(map.get_double("b", {}), -2.0);
  EXPECT_EQ(map.get_double("c", {}), 1000.0);
  EXPECT_EQ(map.get_double("d", {}), 0.25);
  EXPECT_EQ(map.get_double("e", {}), 0.0);
  EXPECT_EQ(map.get_double_or("z", 7.0, {}), 7.0);
}

TEST(MapReaderDouble, RefusesOtherTextAndSaysTheRange) {
  const auto error = [](const std::string& text, DoubleRange range) {
    return error_in("x: " + text, [range](MapReader& map) { (void)map.get_double("x", range); });
  };
  for (const char* text : {"abc", ".5", "5.", "1e", "nan", ".inf", "1e999", "0x1p3", "1,5"}) {
    EXPECT_EQ(error(text, {}),
              std::string("f.yaml:1:4: error: 'x' is '") + text + "', must be a number");
  }
  EXPECT_EQ(error("0", {1, 100000}),
            "f.yaml:1:4: error: 'x' is '0', must be a number from 1 to 100000");
  EXPECT_EQ(error("0", {0, 1, true}),
            "f.yaml:1:4: error: 'x' is '0', must be a number above 0 and up to 1");
  EXPECT_EQ(error("1.01", {0, 1, true}),
            "f.yaml:1:4: error: 'x' is '1.01', must be a number above 0 and up to 1");
  EXPECT_EQ(error("1", {0, 1, true}), "no error");
  EXPECT_EQ(error("-1", {.min = 0}),
            "f.yaml:1:4: error: 'x' is '-1', must be a number of at least 0");
  EXPECT_EQ(error("3", {.max = 2}), "f.yaml:1:4: error: 'x' is '3', must be a number of at most 2");
}

TEST(MapReaderBool, ReadsTrueAndFalseOnly) {
  const YamlDocument document = parse_yaml("a: true\nb: false", "f.yaml");
  MapReader map(document);
  EXPECT_TRUE(map.get_bool("a"));
  EXPECT_FALSE(map.get_bool("b"));
  EXPECT_TRUE(map.get_bool_or("z", true));
  const auto read = [](MapReader& other) { (void)other.get_bool("x"); };
  for (const char* text : {"yes", "True", "on", "1", "no"}) {
    EXPECT_EQ(error_in(std::string("x: ") + text, read),
              std::string("f.yaml:1:4: error: 'x' is '") + text + "', must be true or false");
  }
  EXPECT_EQ(error_in("x: 'true'", read),
            "f.yaml:1:4: error: 'x' is the text \"true\", must be true or false");
}

TEST(MapReaderString, ReadsOneLineOfText) {
  const YamlDocument document =
      parse_yaml("a: plain text\nb: \"12\"\nc: >\n  folded\n  text\nd: 2:4", "f.yaml");
  MapReader map(document);
  EXPECT_EQ(map.get_string("a"), "plain text");
  EXPECT_EQ(map.get_string("b"), "12");
  EXPECT_EQ(map.get_string("c"), "folded text");
  EXPECT_EQ(map.get_string("d"), "2:4");
  EXPECT_EQ(map.get_string_or("z", "none"), "none");
}

TEST(MapReaderString, RefusesNumbersEmptyTextAndSeveralLines) {
  const auto read = [](MapReader& map) { (void)map.get_string("x"); };
  EXPECT_EQ(error_in("x: 12", read),
            "f.yaml:1:4: error: 'x' is '12', must be a text: put it in quotes");
  EXPECT_EQ(error_in("x: 1.5e3", read),
            "f.yaml:1:4: error: 'x' is '1.5e3', must be a text: put it in quotes");
  EXPECT_EQ(error_in("x: true", read),
            "f.yaml:1:4: error: 'x' is 'true', must be a text: put it in quotes");
  EXPECT_EQ(error_in("x: \"\"", read),
            "f.yaml:1:4: error: 'x' is the text \"\", must be a text that is not empty");
  EXPECT_EQ(error_in("x: [a]", read), "f.yaml:1:4: error: 'x' is a list, must be a text");
  EXPECT_EQ(error_in("x:", read), "f.yaml:1:1: error: 'x' is empty, must be a text");
  EXPECT_EQ(error_in("x: |\n  a\n  b\n", read), "f.yaml:1:4: error: 'x' must be one line of text");
  for (const char* const code : {"\\e[31m", "\\N", "\\x9b", "\\u202e"}) {
    EXPECT_EQ(error_in("x: \"a" + std::string(code) + "\"\n", read),
              "f.yaml:1:4: error: 'x' must be one line of text");
  }
}

TEST(MapReaderPattern, ReadsEveryWayOfWritingOne) {
  const YamlDocument document = parse_yaml(
      "a: \"2:4\"\nb: 1:8\nc: dense\nd: {n: 4, m: 32}\ne: {m: 4, n: 4}\nf: [\"2:4\", {n: 1, m: "
      "2}]\n"
      "g: 4:8 pairs\nh: \"4:8 pairs\"\ni: {n: 4, m: 8, pairs: true}\nj: {n: 3, m: 8, pairs: false}",
      "f.yaml");
  MapReader map(document);
  EXPECT_EQ(map.get_pattern("a"), (Pattern{2, 4}));
  EXPECT_EQ(map.get_pattern("b"), (Pattern{1, 8}));
  EXPECT_EQ(map.get_pattern("c"), kDense);
  EXPECT_EQ(map.get_pattern("d"), (Pattern{4, 32}));
  EXPECT_EQ(map.get_pattern("e"), kDense);
  EXPECT_EQ(map.get_pattern_list("f"), (std::vector<Pattern>{{2, 4}, {1, 2}}));
  EXPECT_EQ(map.get_pattern_or("z", Pattern{2, 8}), (Pattern{2, 8}));
  for (const char* key : {"g", "h", "i"}) {
    EXPECT_EQ(map.get_pattern(key), (Pattern{4, 8, 2})) << key;
  }
  EXPECT_EQ(map.get_pattern("j"), (Pattern{3, 8}));
}

TEST(MapReaderPattern, SaysWhatIsWrong) {
  const auto read = [](MapReader& map) { (void)map.get_pattern("p"); };
  for (const char* text :
       {"124", "4:2", "0:4", "2:129", "2:4:8", "half", "3:8 pairs", "4:7 pairs", "4:8 pair"}) {
    EXPECT_EQ(error_in(std::string("p: ") + text, read),
              std::string("f.yaml:1:4: error: 'p' is '") + text + "', must be " + kRightPattern);
  }
  EXPECT_EQ(error_in("p: {n: 4, m: 2}", read),
            "f.yaml:1:8: error: 'n' is 4, must be at most 'm', which is 2");
  EXPECT_EQ(error_in("p: {n: 3, m: 8, pairs: true}", read),
            "f.yaml:1:8: error: 'n' is 3, must be even where pairs are kept");
  EXPECT_EQ(error_in("p: {n: 2, m: 5, pairs: true}", read),
            "f.yaml:1:14: error: 'm' is 5, must be even where pairs are kept");
  EXPECT_EQ(error_in("p: {n: 2, m: 129}", read),
            "f.yaml:1:14: error: 'm' is '129', must be a whole number from 1 to 128");
  EXPECT_EQ(error_in("p: {n: 2}", read), "f.yaml:1:4: error: 'm' is missing in 'p'");
  EXPECT_EQ(error_in("p: {n: 2, m: 4, k: 1}", read),
            "f.yaml:1:17: error: unknown key 'k' in 'p'; known keys: m, n, pairs");
  EXPECT_EQ(error_in("p: [\"2:4\"]", read),
            "f.yaml:1:4: error: 'p' is a list, must be " + kRightPattern);
  EXPECT_EQ(error_in("p: [2:4, 3]", [](MapReader& map) { (void)map.get_pattern_list("p"); }),
            "f.yaml:1:10: error: 'p.1' is '3', must be " + kRightPattern);
}

TEST(MapReaderDtype, TakesOperandTypesOnly) {
  const YamlDocument document = parse_yaml("a: fp16\nb: fp8_e5m2", "f.yaml");
  MapReader map(document);
  EXPECT_EQ(map.get_dtype("a"), DataType::fp16);
  EXPECT_EQ(map.get_dtype("b"), DataType::fp8_e5m2);
  EXPECT_EQ(map.get_dtype_or("z", DataType::int8), DataType::int8);
  const auto read = [](MapReader& other) { (void)other.get_dtype("x"); };
  EXPECT_EQ(error_in("x: FP16", read),
            "f.yaml:1:4: error: 'x' is 'FP16', must be one of fp16, bf16, tf32, int8, int4, "
            "fp8_e4m3, fp8_e5m2, nvfp4; did you mean 'fp16'?");
  EXPECT_EQ(error_in("x: int32", read),
            "f.yaml:1:4: error: 'x' is 'int32', must be one of fp16, bf16, tf32, int8, int4, "
            "fp8_e4m3, fp8_e5m2, nvfp4");
}

TEST(MapReaderEnum, ReadsNamesOfATable) {
  const YamlDocument document = parse_yaml("a: green\nb: [blue, red, blue]\nc: []", "f.yaml");
  MapReader map(document);
  EXPECT_EQ(map.get_enum("a", kShades), Shade::green);
  EXPECT_EQ(map.get_enum_or("z", Shade::blue, kShades), Shade::blue);
  EXPECT_EQ(map.get_enum_list("b", kShades),
            (std::vector<Shade>{Shade::blue, Shade::red, Shade::blue}));
  EXPECT_TRUE(map.get_enum_list("c", kShades).empty());
  EXPECT_EQ(error_in("x: gren", [](MapReader& other) { (void)other.get_enum("x", kShades); }),
            "f.yaml:1:4: error: 'x' is 'gren', must be one of red, green, blue; did you mean "
            "'green'?");
  EXPECT_EQ(
      error_in("x: [red, 5]", [](MapReader& other) { (void)other.get_enum_list("x", kShades); }),
      "f.yaml:1:10: error: 'x.1' is '5', must be one of red, green, blue");
  EXPECT_EQ(
      error_in("x: [[red]]", [](MapReader& other) { (void)other.get_enum_list("x", kShades); }),
      "f.yaml:1:5: error: 'x.0' is a list, must be one of red, green, blue");
}

}  // namespace
}  // namespace stcsim
