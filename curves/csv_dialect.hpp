#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/csv_table.hpp"
#include "curves/read_runs.hpp"

namespace stcsim::curves {

/// The reading of a CSV file of curves, as its header tells.
struct CsvDialect {
  struct Column {
    std::size_t index = 0;
    /// Which of `runs` its values belong to.
    std::size_t run = 0;
    std::string metric;
  };

  FileFormat format = FileFormat::csv;
  Axis axis = Axis::epochs;
  std::size_t x_column = 0;
  std::vector<Column> columns;
  /// Names of the runs beside the file's own name; one empty name where the file is one run.
  std::vector<std::string> runs{""};

  /// The writer always counts from 0; or from 0 as far as is known: a run that was resumed begins
  /// later, and the header may be that of a file written by hand.
  [[nodiscard]] bool counts_from_zero() const;
  [[nodiscard]] bool may_count_from_zero() const;
  /// The writer gives several rows the same x.
  [[nodiscard]] bool repeats() const;
  /// The writer ends every line, so that a last line without an end was cut.
  [[nodiscard]] bool ends_lines() const;
};

/// The separator of the fields of a header: the one of comma, semicolon and tab that is there most
/// often.
[[nodiscard]] char separator_of(std::string_view header_line);

/// @throws ConfigError at the header if no column says how much was trained (or not what
///         `options` asks for), if no column is left for a metric, or one is named twice
[[nodiscard]] CsvDialect dialect_of(const CsvScanner::Record& header, const ReadOptions& options);

}  // namespace stcsim::curves
