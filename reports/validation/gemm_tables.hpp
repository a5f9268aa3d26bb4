#pragma once

#include <string>
#include <vector>

#include "common/io/table.hpp"
#include "reports/validation/gemm_rows.hpp"

namespace stcsim {

/// The rows of each table (table_of), in the order of their first row.
struct RowsOfTable {
  std::string table;
  std::vector<ValidationRow> rows;
};
[[nodiscard]] std::vector<RowsOfTable> rows_by_table(const std::vector<ValidationRow>& rows);

/// Every row that was simulated: measured, simulated and error of all quantities.
[[nodiscard]] Table validation_rows_table(const std::vector<ValidationRow>& rows);
/// Mean absolute error, bias and correlation per GPU and for all.
[[nodiscard]] Table validation_summary_table(const std::vector<ValidationRow>& rows);
/// A sentence for each reason why rows were skipped.
[[nodiscard]] std::vector<std::string> skipped_rows(const std::vector<ValidationRow>& rows);

/// The ten largest errors, with the kernels that were simulated and what bounds them.
[[nodiscard]] Table worst_rows_table(const std::vector<ValidationRow>& rows);

/// The three largest errors of dense and sparse times of every machine and data type, among rows
/// that are scored and take 20 us and more, with what the simulated units waited for.
[[nodiscard]] Table worst_rows_by_machine(const std::vector<ValidationRow>& rows);

}  // namespace stcsim
