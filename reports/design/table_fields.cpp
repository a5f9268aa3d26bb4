#include "reports/design/table_fields.hpp"

#include <fmt/format.h>

#include "common/io/catalog.hpp"

namespace stcsim {
namespace {

bool is_missing(const CsvField& field) {
  return field.text.empty() || field.text == "MISSING";
}

}  // namespace

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
