#include "common/io/field_reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace stcsim {
namespace {

IntRange range_of(const Field& field) {
  return {field.least, field.most};
}

/// Any number where the field has no range.
DoubleRange double_range_of(const Field& field) {
  const double most = field.most_real > 0 ? field.most_real : static_cast<double>(field.most);
  if (field.least == 0 && most == 0) return {};
  const double least = field.least_real > 0 ? field.least_real : static_cast<double>(field.least);
  return {least, most, field.is_above_least};
}

bool is_unlimited(const YamlNode& node) {
  return node.is_scalar() && node.text == kUnlimited;
}

}  // namespace

void FieldReader::read(const Field& field, std::int64_t& value) {
  if (field.may_be_unlimited && map_.has(field.key)) {
    const YamlNode& node = map_.get_node(field.key);
    const std::optional<std::int64_t> number = int_of(node);
    if (is_unlimited(node)) {
      value = field.most;
      return;
    }
    if (!number || *number < field.least || *number > field.most) {
      refuse(
          node, field.key,
          fmt::format("a whole number from {} to {}, or {}", field.least, field.most, kUnlimited));
    }
  }
  value = map_.get_int(field.key, range_of(field));
}

void FieldReader::read(const Field& field, std::uint64_t& value) {
  value = static_cast<std::uint64_t>(map_.get_int(field.key, range_of(field)));
}

void FieldReader::read(const Field& field, double& value) {
  value = map_.get_double(field.key, double_range_of(field));
}

void FieldReader::read(const Field& field, Millicycles& value) {
  const double cycles = map_.get_double(field.key, double_range_of(field));
  const double millicycles = cycles * 1000.0;
  const std::int64_t whole = std::llround(millicycles);
  if (std::abs(millicycles - static_cast<double>(whole)) > 1e-6 * std::max(1.0, millicycles)) {
    map_.fail(field.key,
              fmt::format("'{}' is {}, must not have more than three decimals", field.key, cycles));
  }
  value = Millicycles(whole);
}

void FieldReader::read(const Field& field, bool& value) {
  value = map_.get_bool(field.key);
}

void FieldReader::read(const Field& field, std::string& value) {
  const bool is_number = field.may_be_number && int_of(map_.get_node(field.key)).has_value();
  value = is_number ? map_.get_node(field.key).text : map_.get_string(field.key);
}

void FieldReader::read(const Field& field, DataType& value) {
  if (!map_.has(field.key)) {
    // Says so later: see MapReader.
    value = map_.get_dtype(field.key);
    return;
  }
  std::vector<std::pair<std::string_view, DataType>> names;
  for (const DataType type : field.types) names.emplace_back(to_string(type), type);
  value = map_.get_enum(field.key, names);
}

void FieldReader::read(const Field& field, Pattern& value) {
  value = map_.get_pattern(field.key);
}

void FieldReader::read(const Field& field, std::vector<std::string>& value) {
  value = map_.get_string_list(field.key);
}

void FieldReader::read(const Field& field, std::vector<Pattern>& value) {
  value = map_.get_pattern_list(field.key);
}

void FieldReader::read(const Field& field, std::vector<DataType>& value) {
  std::vector<std::pair<std::string_view, DataType>> names;
  for (const DataType type : field.types) names.emplace_back(to_string(type), type);
  value = map_.get_enum_list(field.key, names);
}

void FieldReader::read(const Field& field, std::vector<std::int64_t>& value) {
  value = map_.get_int_list(field.key, range_of(field));
}

void FieldReader::read(const Field& field, std::tuple<std::int64_t&, std::int64_t&>& value) {
  const auto [first, second] = field.may_be_one ? map_.get_int_or_pair(field.key, range_of(field))
                                                : map_.get_int_pair(field.key, range_of(field));
  value = std::tie(first, second);
}

void FieldReader::read(const Field& field,
                       std::tuple<std::int64_t&, std::int64_t&, std::int64_t&>& value) {
  const std::vector<std::int64_t> list = map_.get_int_list(field.key, range_of(field));
  if (list.size() != 3) {
    map_.fail(field.key, fmt::format("'{}' must be a list of three numbers: [m, n, k]", field.key));
  }
  value = std::tie(list[0], list[1], list[2]);
}

}  // namespace stcsim
