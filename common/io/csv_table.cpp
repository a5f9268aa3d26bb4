#include "common/io/csv_table.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/text_file.hpp"
#include "common/suggestion.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kMostColumns = 10'000;

std::string_view name_of(char separator) {
  if (separator == ',') return "a comma";
  return separator == ';' ? "a semicolon" : "a tab";
}

constexpr std::size_t kMostRows = 1'000'000;

constexpr std::int64_t kLargestNumber = 2'147'483'647;

}  // namespace

CsvScanner::CsvScanner(std::string_view text, std::string origin, char separator)
    : text_(text),
      origin_(std::move(origin)),
      separator_(separator),
      blank_(separator == '\t' ? " " : " \t") {}

void CsvScanner::skip_empty_lines() {
  while (!at_end()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos && line.front() != '#') return;
    while (at_ < end) take();
    if (!at_end()) take();
  }
}

void CsvScanner::skip_rest_of_line() {
  while (column_ > 1 && !at_end()) take();
}

CsvScanner::Record CsvScanner::record() {
  Record record;
  do {
    if (record.size() == kMostColumns) {
      throw ConfigError(where(), fmt::format("a row has more than {} fields", kMostColumns));
    }
    skip_blank();
    record.push_back(peek() == '"' ? quoted() : plain());
    skip_blank();
  } while (take_if(separator_));
  take_if('\r');
  if (!at_end() && !take_if('\n')) {
    throw ConfigError(where(),
                      fmt::format("text after a closing quote, must be {} or the line's end",
                                  name_of(separator_)));
  }
  return record;
}

char CsvScanner::take() {
  const char character = text_[at_++];
  if (character == '\n') {
    ++line_;
    column_ = 1;
  } else {
    ++column_;
  }
  return character;
}

bool CsvScanner::take_if(char character) {
  if (at_end() || peek() != character) return false;
  take();
  return true;
}

void CsvScanner::skip_blank() {
  while (!at_end() && blank_.find(peek()) != std::string_view::npos) take();
}

CsvField CsvScanner::plain() {
  CsvField field{"", where()};
  while (!at_end() && peek() != separator_ && peek() != '\n' && peek() != '\r') {
    field.text += take();
  }
  field.text.erase(field.text.find_last_not_of(blank_) + 1);
  return field;
}

CsvField CsvScanner::quoted() {
  CsvField field{"", where()};
  take();
  for (;;) {
    if (at_end()) throw ConfigError(field.where, "this quote is never closed");
    const char character = take();
    if (character != '"') {
      field.text += character;
    } else if (take_if('"')) {
      field.text += '"';
    } else {
      return field;
    }
  }
}

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

std::int64_t size_in(const CsvField& field, std::string_view what) {
  const auto value = to_whole_number(field.text);
  if (!value || *value < 1 || *value > kLargestNumber) {
    throw ConfigError(field.where, fmt::format("{} is '{}', must be a whole number from 1 to {}",
                                               what, field.text, kLargestNumber));
  }
  return *value;
}

std::from_chars_result number_from(const char* begin, const char* end, double& number) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(begin, end, number);
#else
  const auto* const x = std::find_if(begin, end, [](char c) { return c == 'x' || c == 'X'; });
  const std::string text(begin, x);
  char* stop = nullptr;
  errno = 0;
  const double value = std::strtod(text.c_str(), &stop);
  const char* const after = begin + (stop - text.c_str());
  if (after == begin || text.find_first_of("+ \t\n\v\f\r") == 0) {
    return {begin, std::errc::invalid_argument};
  }
  if (errno == ERANGE && (value == 0 || std::isinf(value))) {
    return {after, std::errc::result_out_of_range};
  }
  number = value;
  return {after, std::errc()};
#endif
}

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = number_from(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::optional<std::int64_t> to_whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace stcsim
