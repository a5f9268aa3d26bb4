#include "common/io/yaml_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/suggestion.hpp"

namespace stcsim {
namespace {

std::string element_name(std::string_view name, std::size_t index) {
  return fmt::format("{}.{}", name, index);
}

void check_sizes(const MapReader& map, Pattern pattern) {
  if (pattern.n > pattern.m) {
    map.fail("n", fmt::format("'n' is {}, must be at most 'm', which is {}", pattern.n, pattern.m));
  }
  for (const auto& [key, size] : {std::pair("n", pattern.n), std::pair("m", pattern.m)}) {
    if (size % pattern.granule == 0) continue;
    map.fail(key, fmt::format("'{}' is {}, must be even where pairs are kept", key, size));
  }
}

Pattern read_pattern(const YamlNode& node, std::string_view name, const std::string& path) {
  if (node.is_map()) {
    MapReader map(node, path);
    Pattern pattern;
    pattern.m = map.get_int("m", {1, kMaxGroup});
    pattern.n = map.get_int("n", {1, kMaxGroup});
    if (map.get_bool_or("pairs", false)) pattern.granule = 2;
    map.finish();
    check_sizes(map, pattern);
    return pattern.is_dense() ? kDense : pattern;
  }
  const std::optional<Pattern> pattern =
      node.is_scalar() ? pattern_from_string(node.text) : std::nullopt;
  if (pattern) return *pattern;
  refuse(node, name,
         fmt::format("\"n:m\" with 1 <= n <= m <= {}, \"n:m pairs\" with both even, \"n:mxn:m\" of "
                     "blocks, \"V:2:m\" with m from 4, \"n:m outputs\", or dense",
                     kMaxGroup));
}

std::array<std::int64_t, 2> read_int_pair(const YamlNode& node, std::string_view name,
                                          IntRange range, const char* right) {
  if (!node.is_list()) refuse(node, name, right);
  if (node.items.size() != 2) {
    throw ConfigError(node.location, fmt::format("'{}' is a list of {}, must be {}", name,
                                                 node.items.size(), right));
  }
  return {read_int(node.items[0], element_name(name, 0), range),
          read_int(node.items[1], element_name(name, 1), range)};
}

}  // namespace

MapReader::MapReader(const YamlNode& node, std::string path)
    : node_(&node), path_(std::move(path)) {
  if (!node.is_map()) refuse(node, path_, "a map of keys and values");
}

MapReader::MapReader(const YamlDocument& document) : MapReader(document.root, "") {}

bool MapReader::has(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  return node_->find(key) != nullptr;
}

const YamlNode* MapReader::require(std::string_view key) {
  if (!has(key)) missing_.emplace_back(key);
  return node_->find(key);
}

std::int64_t MapReader::get_int(std::string_view key, IntRange range) {
  const YamlNode* node = require(key);
  return node != nullptr ? read_int(*node, key, range) : range.min;
}

std::int64_t MapReader::get_int_or(std::string_view key, std::int64_t fallback, IntRange range) {
  return has(key) ? get_int(key, range) : fallback;
}

double MapReader::get_double(std::string_view key, DoubleRange range) {
  const YamlNode* node = require(key);
  return node != nullptr ? read_double(*node, key, range) : range.min;
}

double MapReader::get_double_or(std::string_view key, double fallback, DoubleRange range) {
  return has(key) ? get_double(key, range) : fallback;
}

bool MapReader::get_bool(std::string_view key) {
  const YamlNode* node = require(key);
  return node != nullptr && read_bool(*node, key);
}

bool MapReader::get_bool_or(std::string_view key, bool fallback) {
  return has(key) ? get_bool(key) : fallback;
}

std::string MapReader::get_string(std::string_view key) {
  const YamlNode* node = require(key);
  return node != nullptr ? read_string(*node, key) : "";
}

std::string MapReader::get_string_or(std::string_view key, std::string_view fallback) {
  return has(key) ? get_string(key) : std::string(fallback);
}

Pattern MapReader::get_pattern(std::string_view key) {
  const YamlNode* node = require(key);
  return node != nullptr ? read_pattern(*node, key, path_of(key)) : kDense;
}

Pattern MapReader::get_pattern_or(std::string_view key, Pattern fallback) {
  return has(key) ? get_pattern(key) : fallback;
}

std::vector<Pattern> MapReader::get_pattern_list(std::string_view key) {
  std::vector<Pattern> patterns;
  for (const YamlNode& item : get_list(key)) {
    const std::size_t index = patterns.size();
    patterns.push_back(
        read_pattern(item, element_name(key, index), element_name(path_of(key), index)));
  }
  return patterns;
}

DataType MapReader::get_dtype(std::string_view key) {
  const YamlNode* node = require(key);
  return node != nullptr ? read_dtype(*node, key) : operand_data_types().front();
}

DataType MapReader::get_dtype_or(std::string_view key, DataType fallback) {
  return has(key) ? get_dtype(key) : fallback;
}

std::array<std::int64_t, 2> MapReader::get_int_pair(std::string_view key, IntRange range) {
  const YamlNode* node = require(key);
  if (node == nullptr) return {range.min, range.min};
  return read_int_pair(*node, key, range, "a list of two numbers");
}

std::array<std::int64_t, 2> MapReader::get_int_or_pair(std::string_view key, IntRange range) {
  const YamlNode* node = require(key);
  if (node == nullptr) return {range.min, range.min};
  if (node->is_scalar()) {
    const std::int64_t both = read_int(*node, key, range);
    return {both, both};
  }
  return read_int_pair(*node, key, range, "a number or a list of two");
}

std::vector<std::int64_t> MapReader::get_int_list(std::string_view key, IntRange range) {
  std::vector<std::int64_t> values;
  for (const YamlNode& item : get_list(key)) {
    values.push_back(read_int(item, element_name(key, values.size()), range));
  }
  return values;
}

std::vector<std::string> MapReader::get_string_list(std::string_view key) {
  std::vector<std::string> values;
  for (const YamlNode& item : get_list(key)) {
    values.push_back(read_string(item, element_name(key, values.size())));
  }
  return values;
}

MapReader MapReader::get_map(std::string_view key) {
  return {get_node(key), path_of(key)};
}

std::vector<MapReader> MapReader::get_maps(std::string_view key) {
  std::vector<MapReader> maps;
  for (const YamlNode& item : get_list(key)) {
    maps.emplace_back(item, element_name(path_of(key), maps.size()));
  }
  return maps;
}

const std::vector<YamlNode>& MapReader::get_list(std::string_view key) {
  const YamlNode& node = get_node(key);
  if (!node.is_list()) refuse(node, key, "a list");
  return node.items;
}

const YamlNode& MapReader::get_node(std::string_view key) {
  if (const YamlNode* node = require(key)) return *node;
  for (const YamlEntry& entry : node_->entries) {
    const bool unasked = std::find(known_.begin(), known_.end(), entry.key) == known_.end();
    const std::string hint = did_you_mean(entry.key, {std::string(key)});
    if (unasked && !hint.empty()) throw unknown(entry, hint);
  }
  refuse_missing();
}

std::size_t MapReader::choose(std::string_view key, const Names& names) {
  return read_choice(get_node(key), key, names);
}

std::vector<std::size_t> MapReader::choose_list(std::string_view key, const Names& names) {
  std::vector<std::size_t> chosen;
  for (const YamlNode& item : get_list(key)) {
    chosen.push_back(read_choice(item, element_name(key, chosen.size()), names));
  }
  return chosen;
}

std::string MapReader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

SourceLocation MapReader::location_of(std::string_view key) const {
  const YamlNode* node = node_->find(key);
  return node != nullptr ? node->location : location();
}

void MapReader::fail(std::string_view key, const std::string& message) const {
  if (!missing_.empty()) refuse_missing();
  throw ConfigError(location_of(key), message);
}

void MapReader::add_unknown_to(ConfigErrors& errors) const {
  for (const YamlEntry& entry : node_->entries) {
    if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) continue;
    const std::string ours = synonym_of(entry.key, known_);
    std::string hint = ours.empty() ? did_you_mean(entry.key, known_) : ": here it is " + ours;
    if (hint.empty()) hint = fmt::format("; known keys: {}", fmt::join(known_, ", "));
    errors.add(unknown(entry, hint));
  }
}

void MapReader::finish() const {
  ConfigErrors errors;
  add_unknown_to(errors);
  errors.refuse();
  if (!missing_.empty()) refuse_missing();
}

void MapReader::refuse_missing() const {
  throw ConfigError(location(), fmt::format("'{}' is missing{}", missing_.front(), in_path()));
}

ConfigError MapReader::unknown(const YamlEntry& entry, const std::string& hint) const {
  return {entry.key_location, fmt::format("unknown key '{}'{}{}", entry.key, in_path(), hint)};
}

std::string MapReader::in_path() const {
  return path_.empty() ? "" : fmt::format(" in '{}'", path_);
}

}  // namespace stcsim
