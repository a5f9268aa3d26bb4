#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "reports/validation/cells.hpp"
#include "reports/validation/fidelity.hpp"
#include "reports/validation/row_tables.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kWorstRows = 10;
constexpr std::size_t kWorstOfAMachine = 3;

struct WorstRow {
  double error;
  GemmFigureName quantity;
  const ValidationRow* row;
};

/// The errors of rows that are scored, the largest first.
std::vector<WorstRow> by_error(const std::vector<ValidationRow>& rows) {
  std::vector<WorstRow> worst;
  for (const ValidationRow& row : rows) {
    if (!is_scored(row.gemm.use)) continue;
    for (const GemmFigureName& name : kGemmFigures) {
      const std::optional<double> error = error_of(row, name.quantity);
      if (error) worst.push_back({*error, name, &row});
    }
  }
  std::stable_sort(worst.begin(), worst.end(), [](const WorstRow& a, const WorstRow& b) {
    return std::abs(a.error) > std::abs(b.error);
  });
  return worst;
}

/// The kernel whose time the error is of; of a speedup, both.
std::string of_kernels(const WorstRow& at, const std::string SimulatedKernel::*text) {
  const std::string& dense = at.row->dense_kernel.*text;
  const std::string& sparse = at.row->sparse_kernel.*text;
  if (at.quantity.quantity == GemmFigure::speedup) return dense + " / " + sparse;
  return at.quantity.quantity == GemmFigure::dense ? dense : sparse;
}

/// From the problem to what bounds its kernel.
std::vector<std::string> measured_and_simulated(const WorstRow& at) {
  const GemmFigure quantity = at.quantity.quantity;
  return {problem_cell(*at.row),
          at.quantity.title,
          quantity_cell(value_of(at.row->gemm.measured, quantity), quantity),
          quantity_cell(value_of(at.row->simulated, quantity), quantity),
          error_cell(at.error),
          of_kernels(at, &SimulatedKernel::name),
          of_kernels(at, &SimulatedKernel::bound_by)};
}

}  // namespace

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

Table worst_rows_table(const std::vector<ValidationRow>& rows) {
  std::vector<WorstRow> worst = by_error(rows);
  worst.resize(std::min(worst.size(), kWorstRows));
  Table table({{"line", Align::right},
               {"gpu"},
               {"M×N×K"},
               {"quantity"},
               {"measured", Align::right},
               {"simulated", Align::right},
               {"error", Align::right},
               {"kernel", Align::left, 1},
               {"bound by", Align::left, 1}});
  const bool with_table = are_of_several_tables(rows);
  for (const WorstRow& at : worst) {
    std::vector<std::string> cells{line_cell(at.row->gemm, with_table), at.row->gemm.gpu};
    for (std::string& cell : measured_and_simulated(at)) cells.push_back(std::move(cell));
    table.add_row(std::move(cells));
  }
  return table;
}

Table worst_rows_by_machine(const std::vector<ValidationRow>& rows) {
  std::map<std::tuple<std::string, DataType, GemmFigure>, std::vector<WorstRow>> groups;
  for (const WorstRow& at : by_error(rows)) {
    const ValidationRow& row = *at.row;
    const bool is_time = at.quantity.quantity != GemmFigure::speedup;
    if (!is_time || size_class(row) != SizeClass::large) continue;
    auto& group = groups[{row.machine, row.gemm.problem.dtype, at.quantity.quantity}];
    if (group.size() < kWorstOfAMachine) group.push_back(at);
  }
  Table table({{"machine"},
               {"type"},
               {"line", Align::right},
               {"M×N×K"},
               {"quantity"},
               {"measured", Align::right},
               {"simulated", Align::right},
               {"error", Align::right},
               {"kernel"},
               {"bound by"},
               {"where its cycles went", Align::left, 0, true}});
  const bool with_table = are_of_several_tables(rows);
  for (const auto& [key, group] : groups) {
    for (const WorstRow& at : group) {
      const ValidationRow& row = *at.row;
      std::vector<std::string> cells{row.machine, std::string(to_string(row.gemm.problem.dtype)),
                                     line_cell(row.gemm, with_table)};
      for (std::string& cell : measured_and_simulated(at)) cells.push_back(std::move(cell));
      cells.push_back(of_kernels(at, &SimulatedKernel::waits));
      table.add_row(std::move(cells));
    }
  }
  return table;
}

}  // namespace stcsim
