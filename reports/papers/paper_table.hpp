#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/io/csv_table.hpp"

namespace stcsim {

/// A shipped table of our own results, configs/papers/NAME.csv.
/// @throws ConfigError if it cannot be read, or a column is missing or unknown
[[nodiscard]] CsvTable read_paper_table(const std::string& name,
                                        const std::vector<std::string>& columns);

/// Fields of a row of such a table, by the names of their columns.
class PaperFields {
 public:
  PaperFields(const CsvTable& table, const CsvTable::Row& row) : table_(table), row_(row) {}

  [[nodiscard]] const std::string& text(std::string_view column) const {
    return field(column).text;
  }
  [[nodiscard]] const CsvField& field(std::string_view column) const {
    return row_[table_.column(column)];
  }
  /// @throws ConfigError at the field unless it is a number in the range
  [[nodiscard]] double number(std::string_view column, double least, double most) const;
  /// @throws ConfigError at the field unless it is a whole number of at least 1
  [[nodiscard]] std::int64_t count(std::string_view column) const;

 private:
  const CsvTable& table_;
  const CsvTable::Row& row_;
};

}  // namespace stcsim
