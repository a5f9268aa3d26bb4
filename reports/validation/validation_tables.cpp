#include "reports/validation/validation_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "reports/validation/validation_cells.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kWorstRows = 10;
constexpr std::array<std::pair<Quantity, const char*>, 3> kQuantityTitles{
    {{Quantity::dense, "dense time"},
     {Quantity::sparse, "sparse time"},
     {Quantity::speedup, "speedup"}}};

std::string value_text(const std::optional<double>& value, Quantity quantity) {
  if (!value) return "-";
  return quantity == Quantity::speedup ? format_speedup(*value) : format_time_us(*value);
}

bool is_of_several_tables(const std::vector<ValidationRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const ValidationRow& row) {
    return row.gemm.where.file != rows.front().gemm.where.file;
  });
}

/// "281", or "gemm.csv:281" where lines of several tables are named.
std::string line_text(const MeasuredGemm& gemm, bool with_table) {
  const std::string line = std::to_string(gemm.where.line);
  return with_table ? table_of(gemm) + ":" + line : line;
}

std::string problem_text(const ValidationRow& row) {
  const GemmProblem& problem = row.gemm.problem;
  return format_shape(problem.m, problem.n, problem.k, problem.batch_count);
}

}  // namespace

Table validation_rows_table(const std::vector<ValidationRow>& rows) {
  std::vector<Column> columns{{"line", Align::right}, {"gpu"}, {"type"}, {"pattern"}, {"M×N×K"}};
  for (const auto& [quantity, name] : kQuantityTitles) {
    const int dispensable = 2 - static_cast<int>(quantity);
    columns.push_back({name, Align::right, dispensable});
    columns.push_back({"simulated", Align::right, dispensable});
    columns.push_back({"error", Align::right, dispensable});
  }
  Table table(columns);
  const bool with_table = is_of_several_tables(rows);
  for (const ValidationRow& row : rows) {
    if (!row.skipped.empty()) continue;
    std::vector<std::string> cells{line_text(row.gemm, with_table), row.gemm.gpu,
                                   std::string(to_string(row.gemm.problem.dtype)), row.gemm.pattern,
                                   problem_text(row)};
    for (const auto& [quantity, name] : kQuantityTitles) {
      cells.push_back(value_text(value_of(row.gemm.measured, quantity), quantity));
      cells.push_back(value_text(value_of(row.simulated, quantity), quantity));
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
    for (const auto& [quantity, name] : kQuantityTitles) {
      const ErrorSummary errors = summarise_errors(rows, one.selection, quantity);
      if (errors.rows == 0) continue;
      table.add_row({one.name, name, std::to_string(errors.rows),
                     format_percent(errors.mean_absolute), error_cell(errors.bias),
                     errors.correlation ? fmt::format("{:.3f}", *errors.correlation) : "-"});
    }
  }
  return table;
}

namespace {

struct WorstRow {
  double error;
  Quantity quantity;
  const char* name;
  const ValidationRow* row;
};

}  // namespace

Table validation_worst_table(const std::vector<ValidationRow>& rows) {
  std::vector<WorstRow> worst;
  for (const ValidationRow& row : rows) {
    for (const auto& [quantity, name] : kQuantityTitles) {
      const std::optional<double> error = error_of(row, quantity);
      if (error) worst.push_back({*error, quantity, name, &row});
    }
  }
  std::stable_sort(worst.begin(), worst.end(), [](const WorstRow& a, const WorstRow& b) {
    return std::abs(a.error) > std::abs(b.error);
  });
  worst.resize(std::min(worst.size(), kWorstRows));
  Table table({{"line", Align::right},
               {"gpu"},
               {"M×N×K"},
               {"quantity"},
               {"measured", Align::right},
               {"simulated", Align::right},
               {"error", Align::right}});
  const bool with_table = is_of_several_tables(rows);
  for (const WorstRow& at : worst) {
    table.add_row({line_text(at.row->gemm, with_table), at.row->gemm.gpu, problem_text(*at.row),
                   at.name, value_text(value_of(at.row->gemm.measured, at.quantity), at.quantity),
                   value_text(value_of(at.row->simulated, at.quantity), at.quantity),
                   error_cell(at.error)});
  }
  return table;
}

std::vector<std::string> skipped_rows(const std::vector<ValidationRow>& rows) {
  const bool with_table = is_of_several_tables(rows);
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const ValidationRow& row : rows) {
    reasons.emplace_back(row.skipped, line_text(row.gemm, with_table));
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
