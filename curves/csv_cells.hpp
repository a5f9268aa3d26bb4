#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/io/csv_table.hpp"
#include "curves/read_runs.hpp"
#include "curves/run.hpp"

namespace stcsim::curves {

/// The content of a cell of a table of curves.
struct Cell {
  enum class Kind { blank, number, text };
  Kind kind = Kind::blank;
  double number = 0;  // NaN and infinities too
};

/// Blank, NA, N/A, null, None and "-" are no value; nan and inf (however written) are numbers that
/// are not finite; anything else that is no decimal number, or one beyond the range of a double, is
/// text.
[[nodiscard]] Cell read_cell(std::string_view text);

/// Counts the cells of the columns of a table that are numbers, and those that should be one.
class ColumnCounts {
 public:
  ColumnCounts() = default;
  explicit ColumnCounts(std::vector<std::string> names)
      : names_(std::move(names)), columns_(names_.size()) {}

  void take(std::size_t column, const Cell& cell, const SourceLocation& where);
  /// A note for every column with text in it.
  void tell(NoteList& notes) const;

 private:
  struct Column {
    std::size_t numbers = 0;
    std::size_t texts = 0;
    SourceLocation first_text;
  };
  std::vector<std::string> names_;
  std::vector<Column> columns_;
};

/// Where a run begins in a file: its first sample and its line.
struct Restart {
  std::size_t sample = 0;
  int line = 0;
};

/// Finds where a file that several runs were written into, one behind the other, begins anew: x
/// falls to the first x of the run or below it. In a file where x falls as often as it rises, rows
/// are in no order, and nothing begins anew.
class Restarts {
 public:
  /// The next row.
  /// @param sample how many samples were before it
  void take(double x, std::size_t sample, int line);

  /// The runs among so many samples, at least one.
  [[nodiscard]] std::vector<Restart> parts(std::size_t samples) const;

 private:
  std::vector<Restart> found_;
  bool started_ = false;
  double first_ = 0;
  double last_ = 0;
  std::size_t rises_ = 0;
  std::size_t falls_ = 0;
};

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
