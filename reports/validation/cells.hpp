#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/validation/errors.hpp"
#include "reports/validation/gemm_rows.hpp"

namespace stcsim {

/// Cells and sentences of the tables that compare measurements with predictions.

/// A signed fraction as "+1.7 %", "-" if there is none.
[[nodiscard]] std::string error_cell(const std::optional<double>& error);
/// Microseconds as people read them, "-" if there are none.
[[nodiscard]] std::string time_cell(const std::optional<double>& microseconds);
/// "24.7", "1004": three significant digits at least, "-" if there is no value.
[[nodiscard]] std::string value_cell(const std::optional<double>& value);
/// "1.50x", "1.30-1.50x", "up to 1.30x", "-" if it is empty.
[[nodiscard]] std::string speedup_cell(const Interval& speedup);

/// A sentence for each reason why rows were skipped, of pairs of a reason ("" if it was not) and a
/// line of the table.
[[nodiscard]] std::vector<std::string> skipped_sentences(
    const std::vector<std::pair<std::string, std::string>>& reasons);
/// The same of rows of measurements, with their lines.
template <class Row>
std::vector<std::string> skipped_in(const std::vector<Row>& rows) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const Row& row : rows) {
    reasons.emplace_back(row.skipped, std::to_string(row.measured.where.line));
  }
  return skipped_sentences(reasons);
}

/// Cells of tables that have a line for each GEMM.

[[nodiscard]] bool are_of_several_tables(const std::vector<ValidationRow>& rows);
/// "281", or "gemm.csv:281" where lines of several tables are named.
[[nodiscard]] std::string line_cell(const MeasuredGemm& gemm, bool with_table);
/// A time or a speedup, "-" if there is none.
[[nodiscard]] std::string quantity_cell(const std::optional<double>& value, GemmFigure quantity);
[[nodiscard]] std::string problem_cell(const ValidationRow& row);

}  // namespace stcsim
