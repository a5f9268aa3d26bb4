#include "reports/evidence/table_fields.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "common/io/catalog.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kLargestNumber = 2'147'483'647;

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_missing(const CsvField& field) {
  return field.text.empty() || field.text == "MISSING";
}

}  // namespace

std::int64_t size_in(const CsvField& field, std::string_view what, std::string_view or_else) {
  const auto value = to_whole_number(field.text);
  if (!value || *value < 1 || *value > kLargestNumber) {
    throw ConfigError(field.where, fmt::format("{} is '{}', must be a whole number from 1 to {}{}",
                                               what, field.text, kLargestNumber, or_else));
  }
  return *value;
}

std::optional<double> to_number(std::string_view text) {
  const auto value = parsed<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::int64_t> to_whole_number(std::string_view text) {
  return parsed<std::int64_t>(text);
}

CsvTable read_paper_table(const std::string& name, const std::vector<std::string>& columns) {
  CsvTable table = CsvTable::read(config_directory() / "papers" / (name + ".csv"));
  table.check_columns(columns, {});
  return table;
}

std::string TableFields::text_or_nothing(std::string_view column) const {
  const auto index = table_.find_column(column);
  return index ? row_[*index].text : "";
}

const CsvField* TableFields::given(std::string_view column) const {
  const auto index = table_.find_column(column);
  if (!index || is_missing(row_[*index])) return nullptr;
  return &row_[*index];
}

std::optional<double> TableFields::number(std::string_view column) const {
  const CsvField& field = at(column);
  if (is_missing(field)) return std::nullopt;
  const auto value = to_number(field.text);
  if (!value || *value < 0) {
    throw ConfigError(field.where, std::string(column) + " is '" + field.text +
                                       "', must be a number above 0, MISSING or empty");
  }
  if (*value == 0) return std::nullopt;
  return value;
}

double TableFields::number(std::string_view column, double least, double most) const {
  const auto value = to_number(text(column));
  if (!value || *value < least || *value > most) {
    throw ConfigError(at(column).where, fmt::format("{} is '{}', must be a number from {} to {}",
                                                    column, text(column), least, most));
  }
  return *value;
}

std::optional<std::int64_t> TableFields::count(std::string_view column) const {
  const CsvField& field = at(column);
  if (field.text.empty()) return std::nullopt;
  return size_in(field, column, " or empty");
}

}  // namespace stcsim
