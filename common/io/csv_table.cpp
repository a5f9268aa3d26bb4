#include "common/io/csv_table.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace stcsim {
namespace {

constexpr std::string_view kBlank = " \t";

/// Reads a text field by field and keeps track of the place.
class Scanner {
 public:
  Scanner(std::string_view text, std::string origin) : text_(text), origin_(std::move(origin)) {}

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] SourceLocation where() const { return {origin_, line_, column_}; }

  /// Skips lines without a record.
  void skip_empty_lines() {
    while (!at_end()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      const std::string_view line = text_.substr(at_, end - at_);
      if (line.find_first_not_of(" \t\r") != std::string_view::npos && line.front() != '#') return;
      while (at_ < end) take();
      if (!at_end()) take();
    }
  }

  CsvTable::Row record() {
    CsvTable::Row row;
    do {
      skip_blank();
      row.push_back(peek() == '"' ? quoted() : plain());
      skip_blank();
    } while (take_if(','));
    take_if('\r');
    if (!at_end() && !take_if('\n')) {
      throw ConfigError(where(), "text after a closing quote, must be a comma or the line's end");
    }
    return row;
  }

 private:
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
  char take() {
    const char character = text_[at_++];
    if (character == '\n') {
      ++line_;
      column_ = 1;
    } else {
      ++column_;
    }
    return character;
  }
  bool take_if(char character) {
    if (at_end() || peek() != character) return false;
    take();
    return true;
  }
  void skip_blank() {
    while (!at_end() && kBlank.find(peek()) != std::string_view::npos) take();
  }

  CsvField plain() {
    CsvField field{"", where()};
    while (!at_end() && peek() != ',' && peek() != '\n' && peek() != '\r') field.text += take();
    field.text.erase(field.text.find_last_not_of(kBlank) + 1);
    return field;
  }
  CsvField quoted() {
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

  std::string_view text_;
  std::string origin_;
  std::size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
};

void check_header(const CsvTable::Row& header) {
  for (auto field = header.begin(); field != header.end(); ++field) {
    const bool repeated = std::any_of(
        header.begin(), field, [&](const CsvField& other) { return other.text == field->text; });
    if (repeated) {
      throw ConfigError(field->where, "column '" + field->text + "' is here a second time");
    }
  }
}

}  // namespace

CsvTable CsvTable::read(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_directory(status)) {
    throw ConfigError("table '" + path.string() + "' " +
                      (std::filesystem::exists(status) ? "is a directory" : "does not exist") +
                      ", must be the path of a CSV file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ConfigError("cannot read the table '" + path.string() + "'");
  std::ostringstream text;
  text << file.rdbuf();
  return parse(text.str(), path.string());
}

CsvTable CsvTable::parse(std::string_view text, const std::string& origin) {
  Scanner scanner(text, origin);
  CsvTable table;
  scanner.skip_empty_lines();
  if (scanner.at_end())
    throw ConfigError(scanner.where(), "the table is empty, must have a header");
  table.header_ = scanner.record();
  check_header(table.header_);
  for (scanner.skip_empty_lines(); !scanner.at_end(); scanner.skip_empty_lines()) {
    const SourceLocation where = scanner.where();
    Row row = scanner.record();
    if (row.size() != table.header_.size()) {
      throw ConfigError(where, "the row has " + std::to_string(row.size()) + " fields, must have " +
                                   std::to_string(table.header_.size()) + " like the header");
    }
    table.rows_.push_back(std::move(row));
  }
  return table;
}

std::optional<std::size_t> CsvTable::find_column(std::string_view name) const {
  const auto field = std::find_if(header_.begin(), header_.end(),
                                  [&](const CsvField& at) { return at.text == name; });
  if (field == header_.end()) return std::nullopt;
  return static_cast<std::size_t>(field - header_.begin());
}

std::size_t CsvTable::column(std::string_view name) const {
  const std::optional<std::size_t> column = find_column(name);
  if (!column) {
    throw ConfigError(header_.front().where, "the table has no column '" + std::string(name) + "'");
  }
  return *column;
}

}  // namespace stcsim
