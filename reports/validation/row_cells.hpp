#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/validation/validation_result.hpp"

namespace stcsim {

/// Cells of tables that have a line for each GEMM.

[[nodiscard]] bool are_of_several_tables(const std::vector<ValidationRow>& rows);
/// "281", or "gemm.csv:281" where lines of several tables are named.
[[nodiscard]] std::string line_cell(const MeasuredGemm& gemm, bool with_table);
/// A time or a speedup, "-" if there is none.
[[nodiscard]] std::string quantity_cell(const std::optional<double>& value, GemmFigure quantity);
[[nodiscard]] std::string problem_cell(const ValidationRow& row);

}  // namespace stcsim
