#include "reports/validation/validation_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "common/io/table.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kWorstRows = 10;
constexpr std::array<std::pair<Quantity, const char*>, 3> kQuantityTitles{
    {{Quantity::dense, "dense time"},
     {Quantity::sparse, "sparse time"},
     {Quantity::speedup, "speedup"}}};

std::string error_text(const std::optional<double>& error) {
  return error ? fmt::format("{:+.1f} %", *error * 100.0) : "-";
}

std::string value_text(const std::optional<double>& value, Quantity quantity) {
  if (!value) return "-";
  return quantity == Quantity::speedup ? format_speedup(*value) : format_time_us(*value);
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
  for (const ValidationRow& row : rows) {
    if (!row.skipped.empty()) continue;
    std::vector<std::string> cells{std::to_string(row.gemm.where.line), row.gemm.gpu,
                                   std::string(to_string(row.gemm.problem.dtype)), row.gemm.pattern,
                                   problem_text(row)};
    for (const auto& [quantity, name] : kQuantityTitles) {
      cells.push_back(value_text(value_of(row.gemm.measured, quantity), quantity));
      cells.push_back(value_text(value_of(row.simulated, quantity), quantity));
      cells.push_back(error_text(error_of(row, quantity)));
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
                     format_percent(errors.mean_absolute), error_text(errors.bias),
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
  for (const WorstRow& at : worst) {
    table.add_row({std::to_string(at.row->gemm.where.line), at.row->gemm.gpu, problem_text(*at.row),
                   at.name, value_text(value_of(at.row->gemm.measured, at.quantity), at.quantity),
                   value_text(value_of(at.row->simulated, at.quantity), at.quantity),
                   error_text(at.error)});
  }
  return table;
}

std::vector<std::string> skipped_rows(const std::vector<ValidationRow>& rows) {
  std::map<std::string, std::vector<int>> lines;
  for (const ValidationRow& row : rows) {
    if (!row.skipped.empty()) lines[row.skipped].push_back(row.gemm.where.line);
  }
  std::vector<std::string> sentences;
  for (const auto& [reason, at] : lines) {
    sentences.push_back(fmt::format("skipped {} row{}, the first in line {}: {}", at.size(),
                                    at.size() == 1 ? "" : "s", at.front(), reason));
  }
  return sentences;
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
