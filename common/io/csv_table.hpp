#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/io/csv_scanner.hpp"

namespace stcsim {

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
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  void take_header(Row header);
  void take_row(Row row, const SourceLocation& where);

  Row header_;
  std::map<std::string, std::size_t, std::less<>> columns_;  // index by name
  std::vector<Row> rows_;
};

}  // namespace stcsim
