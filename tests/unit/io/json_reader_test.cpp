#include "common/io/json_reader.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

using test::message_of;

/// Reads a row's cycles, speedup and layer, and the document's notes.
void read_rows(const std::string& text) {
  const auto parsed = parse_json(text, "out.json");
  const JsonReader document(parsed, "out.json");
  document.require_schema("stcsim.study/2");
  std::int64_t cycles = 0;
  double speedup = 0;
  std::string layer;
  for (const JsonReader& row : document.array("rows")) {
    row.object("time").read("cycles", cycles);
    row.read("speedup", speedup);
    row.read("layer", layer);
  }
  static_cast<void>(document.texts("notes"));
}

std::string reading_error(const std::string& text) {
  return message_of<ConfigError>([&] { read_rows(text); });
}

std::string rows_text(const std::string& cycles, const std::string& rest) {
  return R"({"schema":"stcsim.study/2","rows":[{"time":{"cycles":)" + cycles + "}," + rest;
}

TEST(JsonReader, AKeyThatIsThereTwiceIsNamed) {
  EXPECT_EQ(reading_error(R"({"a": 1, "b": {"m": 1, "c": {"m": 2}, "m": 3}})"),
            "out.json: error: key 'm' is there twice");
  EXPECT_EQ(parse_json(R"([{"m": 1}, {"m": {"m": 2}}])", "out.json").size(), 2U);
}

TEST(JsonReader, WhateverIsRefusedIsDiscarded) {
  EXPECT_EQ(try_parse_json(R"({"a": [1]})").at("a").at(0), 1);
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_TRUE(try_parse_json(deep).is_discarded());
  EXPECT_TRUE(try_parse_json("{").is_discarded());
  EXPECT_EQ(try_parse_json(R"({"a": 1, "a": 2})").at("a"), 2);
}

TEST(JsonReader, ErrorsNameWhatIsMissing) {
  EXPECT_EQ(reading_error("{}"), "out.json: error: 'schema' is missing");
  EXPECT_EQ(reading_error(R"({"schema":"stcsim.study/2"})"), "out.json: error: 'rows' is missing");
  EXPECT_EQ(reading_error(rows_text("1", R"("speedup":1}]})")),
            "out.json: error: 'rows[0].layer' is missing");
}

TEST(JsonReader, ErrorsNameWhatHasTheWrongType) {
  const std::string place = "out.json: error: 'rows[0].time.cycles' is ";
  const std::string must = ", must be a whole number below 2^63";
  const std::string rest = R"("speedup":1,"layer":"fc"}],"notes":[]})";
  EXPECT_EQ(reading_error(rows_text("\"fast\"", rest)), place + "\"fast\"" + must);
  EXPECT_EQ(reading_error(rows_text("3000.0", rest)), place + "3000.0" + must);
  EXPECT_EQ(reading_error(rows_text("9223372036854775808", rest)),
            place + "9223372036854775808" + must);
  EXPECT_EQ(reading_error(rows_text("[]", rest)), place + "an array" + must);
  EXPECT_EQ(reading_error(rows_text("1", R"("speedup":null}]})")),
            "out.json: error: 'rows[0].speedup' is null, must be a number");
  EXPECT_EQ(reading_error(rows_text("1", R"("speedup":1,"layer":{}}]})")),
            "out.json: error: 'rows[0].layer' is an object, must be a text");
  EXPECT_EQ(reading_error(rows_text("1", R"("speedup":1,"layer":"fc"}],"notes":[1]})")),
            "out.json: error: 'notes' is an array, must be an array of texts");
}

TEST(JsonReader, ErrorsNameAnotherSchema) {
  EXPECT_EQ(reading_error(R"({"schema":"stcsim.study/1"})"),
            "out.json: error: 'schema' is \"stcsim.study/1\", must be \"stcsim.study/2\"");
}

TEST(JsonReader, MalformedTextIsLocated) {
  EXPECT_EQ(reading_error("{\n  \"a\": }"), "out.json:2:8: error: malformed JSON");
  EXPECT_EQ(reading_error(""), "out.json:1:1: error: the JSON text ends too early");
  EXPECT_EQ(reading_error("{\"a\": 1"), "out.json:1:8: error: the JSON text ends too early");
  EXPECT_EQ(reading_error("{\"a\": 1e999}"), "out.json: error: a number is too large for a double");
  EXPECT_EQ(reading_error("[]"), "out.json: error: the document is an array, must be an object");
}

TEST(JsonReader, IgnoresKeysThatNobodyAsksFor) {
  EXPECT_NO_THROW(read_rows(rows_text("1", R"("speedup":1,"layer":"fc","x":[1]}],"notes":[]})")));
}

std::string limit_error(const std::string& text) {
  return test::message_of<ConfigError>([&] { (void)parse_json(text, "f.json"); });
}

std::string object_of(int keys) {
  std::string text = "{";
  for (int at = 0; at < keys; ++at) {
    text += (at == 0 ? "\"k" : ",\"k") + std::to_string(at) + "\":1";
  }
  return text + "}";
}

TEST(JsonLimits, AnObjectHasAtMostTenThousandKeys) {
  EXPECT_EQ(parse_json(object_of(10'000), "f.json").size(), 10'000U);
  EXPECT_EQ(limit_error(object_of(10'001)), "f.json: error: an object has more than 10000 keys");
  EXPECT_EQ(limit_error("[1, {\"a\": " + object_of(10'001) + "}]"),
            "f.json: error: an object has more than 10000 keys");
}

TEST(JsonLimits, EveryObjectCountsForItself) {
  const std::string object = object_of(6'000);
  EXPECT_EQ(parse_json("[" + object + "," + object + "]", "f.json").size(), 2U);
  EXPECT_EQ(parse_json("{\"a\":" + object + ",\"b\":" + object + "}", "f.json").size(), 2U);
}

TEST(JsonLimits, ListsWithinListsHaveAnEnd) {
  const auto lists = [](std::size_t count) {
    return std::string(count, '[') + std::string(count, ']');
  };
  EXPECT_NO_THROW((void)parse_json(lists(500), "f.json"));
  EXPECT_EQ(limit_error(lists(100'000)),
            "f.json: error: more than 500 lists and objects are within each other");
}

TEST(JsonLimits, TextsAreUtf8) {
  EXPECT_EQ(limit_error("{\"\xE9\": 1}"),
            "f.json:1:3: error: byte 0xe9 is not UTF-8 (is the text Latin-1?), must be text in "
            "UTF-8");
}

}  // namespace
}  // namespace stcsim
