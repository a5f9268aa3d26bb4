#include "reports/validation/validation_tables.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "reports/validation/row_cells.hpp"
#include "reports/validation/validation_cells.hpp"

namespace stcsim {

Table validation_rows_table(const std::vector<ValidationRow>& rows) {
  std::vector<Column> columns{{"line", Align::right}, {"gpu"}, {"type"}, {"pattern"}, {"M×N×K"}};
  for (const auto& [quantity, key, name] : kGemmFigures) {
    const int dispensable = 2 - static_cast<int>(quantity);
    columns.push_back({name, Align::right, dispensable});
    columns.push_back({"simulated", Align::right, dispensable});
    columns.push_back({"error", Align::right, dispensable});
  }
  Table table(columns);
  const bool with_table = are_of_several_tables(rows);
  for (const ValidationRow& row : rows) {
    if (!row.skipped.empty()) continue;
    std::vector<std::string> cells{line_cell(row.gemm, with_table), row.gemm.gpu,
                                   std::string(to_string(row.gemm.problem.dtype)), row.gemm.pattern,
                                   problem_cell(row)};
    for (const auto& [quantity, key, name] : kGemmFigures) {
      cells.push_back(quantity_cell(value_of(row.gemm.measured, quantity), quantity));
      cells.push_back(quantity_cell(value_of(row.simulated, quantity), quantity));
      cells.push_back(error_cell(error_of(row, quantity)));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

Table validation_summary_table(const std::vector<ValidationRow>& rows) {
  Table table({{"rows of"},
               {"quantity"},
               {"rows", Align::right},
               {"mean |error|", Align::right},
               {"bias", Align::right},
               {"r", Align::right}});
  for (const NamedSelection& one : reported_selections(rows)) {
    for (const auto& [quantity, key, name] : kGemmFigures) {
      const ErrorSummary errors = summarise_errors(rows, one.selection, quantity);
      if (errors.rows == 0) continue;
      table.add_row({one.name, name, std::to_string(errors.rows),
                     format_percent(errors.mean_absolute), error_cell(errors.bias),
                     errors.correlation ? fmt::format("{:.3f}", *errors.correlation) : "-"});
    }
  }
  return table;
}

std::vector<std::string> skipped_rows(const std::vector<ValidationRow>& rows) {
  const bool with_table = are_of_several_tables(rows);
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const ValidationRow& row : rows) {
    reasons.emplace_back(row.skipped, line_cell(row.gemm, with_table));
  }
  return skipped_sentences(reasons);
}

std::vector<RowsOfTable> rows_by_table(const std::vector<ValidationRow>& rows) {
  std::vector<RowsOfTable> tables;
  for (const ValidationRow& row : rows) {
    const std::string name = table_of(row.gemm);
    const auto is_it = [&](const RowsOfTable& one) { return one.table == name; };
    auto found = std::find_if(tables.begin(), tables.end(), is_it);
    if (found == tables.end()) found = tables.insert(tables.end(), {name, {}});
    found->rows.push_back(row);
  }
  return tables;
}

std::vector<std::string> gpus_of(const std::vector<ValidationRow>& rows) {
  std::vector<std::string> gpus;
  for (const ValidationRow& row : rows) {
    if (std::find(gpus.begin(), gpus.end(), row.gemm.gpu) == gpus.end()) {
      gpus.push_back(row.gemm.gpu);
    }
  }
  return gpus;
}

}  // namespace stcsim
