#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/io/csv_table.hpp"

namespace stcsim {

/// A shipped table of our own results, configs/papers/NAME.csv.
/// @throws ConfigError if it cannot be read, or a column is missing or unknown
[[nodiscard]] CsvTable read_paper_table(const std::string& name,
                                        const std::vector<std::string>& columns);

/// The fields of one row of a table of measurements, by the names of their columns.
class TableFields {
 public:
  TableFields(const CsvTable& table, const CsvTable::Row& row) : table_(table), row_(row) {}

  /// @throws ConfigError at the header if the table has no such column
  [[nodiscard]] const CsvField& at(std::string_view column) const {
    return row_[table_.column(column)];
  }
  [[nodiscard]] const std::string& text(std::string_view column) const { return at(column).text; }
  /// "" if the table has no such column.
  [[nodiscard]] std::string text_or_nothing(std::string_view column) const;
  /// Nothing if the table has no such column, or the field is empty or MISSING.
  [[nodiscard]] const CsvField* given(std::string_view column) const;
  /// A number above 0; nothing if the field is empty, 0 or MISSING.
  /// @throws ConfigError at the field for anything else
  [[nodiscard]] std::optional<double> number(std::string_view column) const;
  /// @throws ConfigError at the field unless it is a number in the range
  [[nodiscard]] double number(std::string_view column, double least, double most) const;
  /// A whole number of at least 1; nothing if the field is empty.
  /// @throws ConfigError at the field for anything else
  [[nodiscard]] std::optional<std::int64_t> count(std::string_view column) const;

 private:
  const CsvTable& table_;
  const CsvTable::Row& row_;
};

}  // namespace stcsim
