#pragma once

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace stcsim {

/// One field of a CSV file, with the place it was written at.
struct CsvField {
  std::string text;
  SourceLocation where;
};

/// Reads a CSV text by RFC 4180 record by record, and keeps track of the place. Blanks around
/// unquoted fields are dropped; a record has at most 10,000 fields. The text must outlive it.
class CsvScanner {
 public:
  using Record = std::vector<CsvField>;

  /// @param origin stands for the file in messages
  /// @param separator what stands between fields: a comma, a semicolon or a tab
  CsvScanner(std::string_view text, std::string origin, char separator = ',');

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] SourceLocation where() const { return {origin_, line_, column_}; }

  /// Skips lines without a record: those that are empty or begin with '#'.
  void skip_empty_lines();
  /// @throws ConfigError with the place of what is malformed
  Record record();
  /// Skips a record that could not be read; nothing if it was, and is over.
  void skip_rest_of_line();

 private:
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
  char take();
  bool take_if(char character);
  void skip_blank();
  CsvField plain();
  CsvField quoted();

  std::string_view text_;
  std::string origin_;
  char separator_;
  std::string_view blank_;
  std::size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
};

/// A CSV file by RFC 4180 with a header line. Lines that are empty or begin with '#' are skipped
/// wherever a record may begin. Blanks around unquoted fields are dropped. UTF-8; at
/// most 64 MiB, 10,000 columns and 1,000,000 rows.
class CsvTable {
 public:
  using Row = CsvScanner::Record;

  /// @throws ConfigError with file:line:column for what is malformed (quotes, a row with more or
  ///         fewer fields than the header, a column that is named twice) or not UTF-8, with the
  ///         reason for a file that cannot be read or has no header
  /// @param bad_rows if given, rows that are malformed are left out, and why is put here
  [[nodiscard]] static CsvTable read(const std::filesystem::path& path,
                                     std::vector<ConfigError>* bad_rows = nullptr);
  /// The same for a text in memory; `origin` stands for the file in messages.
  [[nodiscard]] static CsvTable parse(std::string_view text, const std::string& origin,
                                      std::vector<ConfigError>* bad_rows = nullptr);

  [[nodiscard]] std::optional<std::size_t> find_column(std::string_view name) const;
  /// @throws ConfigError at the header if there is no such column
  [[nodiscard]] std::size_t column(std::string_view name) const;
  /// @throws ConfigError at a column that is neither required nor optional, or at the header if a
  ///         required one is not there
  void check_columns(const std::vector<std::string>& required,
                     const std::vector<std::string>& optional) const;
  [[nodiscard]] const Row& header() const { return header_; }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  void take_header(Row header);
  void take_row(Row row, const SourceLocation& where);

  Row header_;
  std::map<std::string, std::size_t, std::less<>> columns_;  // index by name
  std::vector<Row> rows_;
};

/// A whole number from 1 to 2147483647.
/// @throws ConfigError at the field, which it calls `what`, for anything else
[[nodiscard]] std::int64_t size_in(const CsvField& field, std::string_view what);

/// std::from_chars() to a double, by way of strtod() where the library has none (Emscripten's).
std::from_chars_result number_from(const char* begin, const char* end, double& number);

/// The number a whole text stands for, or nothing.
[[nodiscard]] std::optional<double> to_number(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> to_whole_number(std::string_view text);

}  // namespace stcsim
