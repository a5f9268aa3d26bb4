#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/page/page_document.hpp"
#include "tests/support/seed.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// The value of a row, read as the page reads it.
ordered_json value_of(const ordered_json& column, std::size_t row) {
  if (column.is_array()) return column[row];
  if (column.contains("all")) return column["all"];
  return column["values"][column["index"][row].get<std::size_t>()];
}

ordered_json rows_of(const ordered_json& table) {
  ordered_json rows = ordered_json::array();
  for (std::size_t row = 0; row < table["rows"].get<std::size_t>(); ++row) {
    ordered_json object = ordered_json::object();
    for (const auto& [key, column] : table["columns"].items()) object[key] = value_of(column, row);
    rows.push_back(object);
  }
  return rows;
}

TEST(PageColumns, AColumnForEachKeyAndNullsWhereOneIsMissing) {
  const auto rows = ordered_json::parse(R"([
    {"name": "a", "kernel": {"waves": 1.5}, "list": [1, {"x": 2}], "none": null, "empty": {}},
    {"name": "a", "kernel": {"waves": 2, "stages": 3}, "list": [], "none": null, "empty": {}}])");
  EXPECT_EQ(columns_of(rows), ordered_json::parse(R"({"rows": 2, "columns": {
    "name": {"all": "a"},
    "kernel.waves": {"values": [1.5, 2], "index": [0, 1]},
    "list": {"values": [[1, {"x": 2}], []], "index": [0, 1]},
    "none": {"all": null}, "empty": {"all": {}},
    "kernel.stages": {"values": [null, 3], "index": [0, 1]}}})"));
}

TEST(PageColumns, ValuesThatMostlyDifferStandForThemselves) {
  ordered_json rows = ordered_json::array();
  for (int i = 0; i < 12; ++i) rows.push_back({{"own", i}, {"third", i % 3}, {"fourth", i % 4}});
  const ordered_json columns = columns_of(rows)["columns"];
  EXPECT_EQ(columns["own"], ordered_json::parse("[0,1,2,3,4,5,6,7,8,9,10,11]"));
  EXPECT_EQ(columns["third"],
            ordered_json::parse(R"({"values": [0,1,2], "index": [0,1,2,0,1,2,0,1,2,0,1,2]})"));
  EXPECT_EQ(columns["fourth"], ordered_json::parse("[0,1,2,3,0,1,2,3,0,1,2,3]"));
}

TEST(PageColumns, NoRowsHaveNoColumns) {
  EXPECT_EQ(columns_of(ordered_json::array()),
            ordered_json::parse(R"({"rows": 0, "columns": {}})"));
}

TEST(PageColumns, AnyRowsComeBack) {
  const std::uint64_t seed = test::seed_or(20);
  SCOPED_TRACE("STCSIM_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 50; ++round) {
    ordered_json rows = ordered_json::array();
    const std::size_t count = random() % 40;
    for (std::size_t i = 0; i < count; ++i) {
      rows.push_back(
          {{"text", std::string(random() % 3, '<')},
           {"number", random() % 5 == 0 ? ordered_json(0.1 * static_cast<double>(random() % 7))
                                        : ordered_json(random() % 4)},
           {"big", static_cast<std::int64_t>(random() >> 1U)},
           {"flag", random() % 2 == 0}});
    }
    EXPECT_EQ(rows_of(columns_of(rows)), rows);
  }
}

TEST(PageResult, BucketsBecomeThousandthsOfTheirUnit) {
  const auto result = ordered_json::parse(R"({"cycles": 300, "buckets": {
    "tensor_core": {"instances": 2, "busy": 200, "idle": 400}, "dram": {"instances": 1, "busy": 0}}})");
  EXPECT_EQ(page_result(result), ordered_json::parse(R"({"cycles": 300, "waits": {
    "tensor_core": {"busy": 333, "idle": 667}, "dram": {"busy": 0}}})"));
}

TEST(PageResult, WhatFollowsFromOtherKeysIsLeftOut) {
  const auto result = ordered_json::parse(R"({"layer": "l", "time_us": 1.23456789,
    "tile": "1x2x3", "utilization": 0.123456789, "kernel": {"name": "k", "tile_m": 1, "tile_n": 2,
    "tile_k": 3, "waves": 2.3703703703703702}})");
  EXPECT_EQ(page_result(result), ordered_json::parse(R"({"layer": "l", "time_us": 1.23456789,
    "utilization": 0.123457,
    "kernel": {"name": "k", "waves": 2.37037}})"));
}

}  // namespace
}  // namespace stcsim
