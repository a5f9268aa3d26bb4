#include "common/io/csv_table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/suggestion.hpp"
#include "common/io/text_file.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kMostRows = 1'000'000;

}  // namespace

CsvTable CsvTable::read(const std::filesystem::path& path, std::vector<ConfigError>* bad_rows) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_directory(status)) {
    throw ConfigError("table '" + path.string() + "' " +
                      (std::filesystem::exists(status) ? "is a directory" : "does not exist") +
                      ", must be the path of a CSV file");
  }
  return parse(read_text_file(path, "a table"), path.string(), bad_rows);
}

CsvTable CsvTable::parse(std::string_view text, const std::string& origin,
                         std::vector<ConfigError>* bad_rows) {
  check_encoding(text, origin);
  CsvScanner scanner(text, origin);
  CsvTable table;
  scanner.skip_empty_lines();
  if (scanner.at_end())
    throw ConfigError(scanner.where(), "the table is empty, must have a header");
  table.take_header(scanner.record());
  for (scanner.skip_empty_lines(); !scanner.at_end(); scanner.skip_empty_lines()) {
    const SourceLocation where = scanner.where();
    if (table.rows_.size() == kMostRows) {
      throw ConfigError(where, fmt::format("the table has more than {} rows", kMostRows));
    }
    try {
      table.take_row(scanner.record(), where);
    } catch (const ConfigError& error) {
      if (bad_rows == nullptr) throw;
      bad_rows->push_back(error);
      scanner.skip_rest_of_line();
    }
  }
  return table;
}

void CsvTable::take_row(Row row, const SourceLocation& where) {
  if (row.size() != header_.size()) {
    throw ConfigError(where, "the row has " + std::to_string(row.size()) + " fields, must have " +
                                 std::to_string(header_.size()) + " like the header");
  }
  rows_.push_back(std::move(row));
}

void CsvTable::take_header(Row header) {
  header_ = std::move(header);
  for (std::size_t index = 0; index < header_.size(); ++index) {
    const CsvField& field = header_[index];
    if (columns_.emplace(field.text, index).second) continue;
    throw ConfigError(field.where, "column '" + field.text + "' is here a second time");
  }
}

std::optional<std::size_t> CsvTable::find_column(std::string_view name) const {
  const auto found = columns_.find(name);
  if (found == columns_.end()) return std::nullopt;
  return found->second;
}

std::size_t CsvTable::column(std::string_view name) const {
  const std::optional<std::size_t> column = find_column(name);
  if (column) return *column;
  std::vector<std::string> names;
  for (const CsvField& field : header_) names.push_back(field.text);
  throw ConfigError(header_.front().where, "the table has no column '" + std::string(name) + "'" +
                                               did_you_mean(name, names));
}

void CsvTable::check_columns(const std::vector<std::string>& required,
                             const std::vector<std::string>& optional) const {
  std::vector<std::string> known = required;
  known.insert(known.end(), optional.begin(), optional.end());
  for (const CsvField& field : header_) {
    if (std::find(known.begin(), known.end(), field.text) != known.end()) continue;
    const std::string hint = did_you_mean(field.text, known);
    throw ConfigError(field.where, fmt::format("unknown column '{}'{}", field.text,
                                               hint.empty() ? fmt::format("; known columns: {}",
                                                                          fmt::join(known, ", "))
                                                            : hint));
  }
  for (const std::string& name : required) static_cast<void>(column(name));
}

}  // namespace stcsim
