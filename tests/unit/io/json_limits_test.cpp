#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

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
