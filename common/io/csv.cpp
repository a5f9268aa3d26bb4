#include "common/io/csv.hpp"

#include <map>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kBuckets = "buckets";

struct FlatObject {
  std::vector<std::pair<std::string, std::string>> fields;
  std::map<std::string, std::string> buckets;
};

std::string cell_of(const ordered_json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void flatten_buckets(const ordered_json& units, const std::string& prefix, FlatObject& flat) {
  for (const auto& [unit, buckets] : units.items()) {
    for (const auto& [bucket, cycles] : buckets.items()) {
      flat.buckets.emplace(prefix + unit + "." + bucket, cell_of(cycles));
    }
  }
}

void flatten(const ordered_json& object, const std::string& prefix, FlatObject& flat) {
  for (const auto& [key, value] : object.items()) {
    if (key == kBuckets) {
      flatten_buckets(value, prefix, flat);
    } else if (value.is_object()) {
      flatten(value, prefix + key + ".", flat);
    } else {
      flat.fields.emplace_back(prefix + key, cell_of(value));
    }
  }
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    if (at > 0) line += ',';
    line += csv_field(cells[at]);
  }
  return line.append(kLineEnd);
}

std::map<std::string, std::string> cells_by_column(const ordered_json& row) {
  FlatObject flat;
  flatten(row, "", flat);
  std::map<std::string, std::string> cells = std::move(flat.buckets);
  cells.insert(flat.fields.begin(), flat.fields.end());
  return cells;
}

std::vector<std::string> column_names(const ordered_json& shape,
                                      const std::vector<ordered_json>& rows) {
  FlatObject all;
  flatten(shape, "", all);
  std::vector<std::string> names;
  for (const auto& [name, value] : all.fields) names.push_back(name);
  for (const ordered_json& row : rows) flatten(row, "", all);
  for (const auto& [name, value] : all.buckets) names.push_back(name);
  return names;
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char character : text) {
    if (character == '"') field += '"';
    field += character;
  }
  return field + "\"";
}

std::string to_csv(const ordered_json& shape, const std::vector<ordered_json>& rows) {
  const std::vector<std::string> columns = column_names(shape, rows);
  std::string text = line_of(columns);
  for (const ordered_json& row : rows) {
    const std::map<std::string, std::string> by_column = cells_by_column(row);
    std::vector<std::string> cells;
    for (const std::string& column : columns) {
      const auto found = by_column.find(column);
      cells.push_back(found == by_column.end() ? "" : found->second);
    }
    text += line_of(cells);
  }
  return text;
}

}  // namespace stcsim
