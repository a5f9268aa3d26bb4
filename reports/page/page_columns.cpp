#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/csv_table.hpp"
#include "reports/page/page_document.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using JsonColumn = std::vector<ordered_json>;

/// Columns in the order in which their keys first appear.
struct Columns {
  std::vector<std::string> keys;
  std::vector<JsonColumn> values;
  std::unordered_map<std::string, std::size_t> places;

  void set(const std::string& key, std::size_t row, const ordered_json& value) {
    const auto [found, is_new] = places.try_emplace(key, keys.size());
    if (is_new) {
      keys.push_back(key);
      values.emplace_back();
    }
    JsonColumn& column = values[found->second];
    column.resize(row);  // null for rows before that lack the key
    column.push_back(value);
  }
};

void add_row(Columns& columns, std::size_t row, const std::string& prefix,
             const ordered_json& object) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object() && !value.empty()) {
      add_row(columns, row, prefix + key + ".", value);
    } else {
      columns.set(prefix + key, row, value);
    }
  }
}

/// Values that differ, and which of them each row has; null if more than a quarter differ.
ordered_json as_dictionary(const JsonColumn& column) {
  std::unordered_map<ordered_json, std::size_t> places;
  JsonColumn values;
  ordered_json index = ordered_json::array();
  const std::size_t most = std::max<std::size_t>(2, column.size() / 4);
  for (const ordered_json& value : column) {
    const auto [found, is_new] = places.try_emplace(value, values.size());
    if (is_new) values.push_back(value);
    if (values.size() > most) return nullptr;
    index.push_back(found->second);
  }
  return {{"values", values}, {"index", index}};
}

ordered_json encoded(const JsonColumn& column) {
  const bool are_alike = std::all_of(column.begin(), column.end(), [&](const ordered_json& value) {
    return value == column.front() && value.type() == column.front().type();
  });
  if (are_alike) return {{"all", column.front()}};
  ordered_json dictionary = as_dictionary(column);
  return dictionary.is_null() ? ordered_json(column) : dictionary;
}

ordered_json with_six_digits(const ordered_json& value) {
  if (!value.is_number_float()) return value;
  const auto number = value.get<double>();
  return to_number(fmt::format("{:.6g}", number)).value_or(number);
}

double sum_of_buckets(const ordered_json& unit) {
  double sum = 0;
  for (const auto& [name, cycles] : unit.items()) {
    if (name != "instances" && cycles.is_number()) sum += cycles.get<double>();
  }
  return sum;
}

ordered_json waits_of(const ordered_json& buckets) {
  ordered_json waits = ordered_json::object();
  for (const auto& [unit, values] : buckets.items()) {
    const double sum = sum_of_buckets(values);
    ordered_json shares = ordered_json::object();
    for (const auto& [name, cycles] : values.items()) {
      if (name == "instances" || !cycles.is_number()) continue;
      shares[name] = sum > 0 ? std::llround(1000.0 * cycles.get<double>() / sum) : 0;
    }
    waits[unit] = shares;
  }
  return waits;
}

}  // namespace

ordered_json columns_of(const ordered_json& rows) {
  Columns columns;
  for (std::size_t row = 0; row < rows.size(); ++row) add_row(columns, row, "", rows[row]);
  ordered_json table = ordered_json::object();
  for (std::size_t i = 0; i < columns.keys.size(); ++i) {
    columns.values[i].resize(rows.size());
    table[columns.keys[i]] = encoded(columns.values[i]);
  }
  return {{"rows", rows.size()}, {"columns", table}};
}

ordered_json page_result(const ordered_json& result) {
  ordered_json kept = ordered_json::object();
  for (const auto& [key, value] : result.items()) {
    if (key == "tile") continue;  // the kernel has it
    if (key == "buckets") {
      kept["waits"] = waits_of(value);
    } else {
      kept[key] = key == "utilization" ? with_six_digits(value) : value;
    }
  }
  if (!kept.contains("kernel")) return kept;
  for (const char* const side : {"tile_m", "tile_n", "tile_k"}) kept["kernel"].erase(side);
  if (kept["kernel"].contains("waves")) {
    kept["kernel"]["waves"] = with_six_digits(kept["kernel"]["waves"]);
  }
  return kept;
}

}  // namespace stcsim
