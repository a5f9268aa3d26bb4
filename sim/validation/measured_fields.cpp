#include "sim/validation/measured_fields.hpp"

#include <charconv>
#include <cmath>

namespace stcsim {
namespace {

constexpr std::int64_t kLargestCount = 2'147'483'647;

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> to_number(std::string_view text) {
  const auto value = parsed<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::int64_t> to_whole_number(std::string_view text) {
  return parsed<std::int64_t>(text);
}

std::string MeasuredFields::text_or_nothing(std::string_view column) const {
  const auto index = table_.find_column(column);
  return index ? row_[*index].text : "";
}

std::optional<double> MeasuredFields::number(std::string_view column) const {
  const CsvField& field = at(column);
  if (field.text.empty() || field.text == "MISSING") return std::nullopt;
  const auto value = to_number(field.text);
  if (!value || *value < 0) {
    throw ConfigError(field.where, std::string(column) + " is '" + field.text +
                                       "', must be a number above 0, MISSING or empty");
  }
  if (*value == 0) return std::nullopt;
  return value;
}

std::optional<std::int64_t> MeasuredFields::count(std::string_view column) const {
  const CsvField& field = at(column);
  if (field.text.empty()) return std::nullopt;
  const auto value = to_whole_number(field.text);
  if (!value || *value < 1 || *value > kLargestCount) {
    throw ConfigError(field.where, std::string(column) + " is '" + field.text +
                                       "', must be a whole number from 1 to 2147483647 or empty");
  }
  return value;
}

}  // namespace stcsim
