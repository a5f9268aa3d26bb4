#include "reports/validation/row_cells.hpp"

#include <algorithm>

#include "common/io/format.hpp"

namespace stcsim {

bool are_of_several_tables(const std::vector<ValidationRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const ValidationRow& row) {
    return row.gemm.where.file != rows.front().gemm.where.file;
  });
}

std::string line_cell(const MeasuredGemm& gemm, bool with_table) {
  const std::string line = std::to_string(gemm.where.line);
  return with_table ? table_of(gemm) + ":" + line : line;
}

std::string quantity_cell(const std::optional<double>& value, GemmFigure quantity) {
  if (!value) return "-";
  return quantity == GemmFigure::speedup ? format_speedup(*value) : format_time_us(*value);
}

std::string problem_cell(const ValidationRow& row) {
  const GemmProblem& problem = row.gemm.problem;
  return format_shape(problem.m, problem.n, problem.k, problem.batch_count);
}

}  // namespace stcsim
