#include "reports/validation/step_tables.hpp"

#include <map>
#include <string>
#include <utility>

#include "common/io/format.hpp"
#include "reports/validation/error_statistics.hpp"
#include "reports/validation/validation_cells.hpp"
#include "reports/validation/validation_result.hpp"

namespace stcsim {
namespace {

constexpr const char* kAllFrameworks = "all";
/// A table's phase of rows that are fine-tuning: their scripts are special, so that they have a
/// line of their own.
constexpr const char* kFineTuning = "fine-tuning";

bool is_fine_tuning(const NetworkRow& row) {
  return row.measured.phase == kFineTuning;
}

using Points = std::vector<std::pair<double, double>>;  // measured and simulated ms

/// By machine and framework, and by machine alone (fine-tuning apart).
std::map<std::pair<std::string, std::string>, Points> points_of(
    const std::vector<NetworkRow>& rows) {
  constexpr double kMicroseconds = 1000;
  std::map<std::pair<std::string, std::string>, Points> points;
  for (const NetworkRow* const row : dense_steps(rows)) {
    const std::pair point{*row->measured.measured.dense_us / kMicroseconds,
                          *row->simulated.dense_us / kMicroseconds};
    points[{row->machine, is_fine_tuning(*row) ? kFineTuning : kAllFrameworks}].push_back(point);
    const std::string note = is_fine_tuning(*row) ? ", fine-tuning" : "";
    points[{row->machine, row->measured.framework + note}].push_back(point);
  }
  return points;
}

}  // namespace

std::vector<const NetworkRow*> dense_steps(const std::vector<NetworkRow>& rows) {
  std::vector<const NetworkRow*> steps;
  for (const NetworkRow& row : rows) {
    const MeasuredNetwork& measured = row.measured;
    const bool is_step = measured.scope == Scope::step && !measured.inference;
    const bool has_times = measured.measured.dense_us && row.simulated.dense_us;
    if (row.skipped.empty() && is_step && has_times) steps.push_back(&row);
  }
  return steps;
}

bool is_dense_step(const NetworkRow& row) {
  return row.skipped.empty() && row.simulated.dense_us && !row.simulated.sparse_us &&
         row.simulated.speedup.is_empty();
}

Table step_rows_table(const std::vector<NetworkRow>& rows) {
  Table table({{"line", Align::right},
               {"machine"},
               {"network"},
               {"config", Align::left, 1},
               {"type"},
               {"framework"},
               {"measured", Align::right},
               {"simulated", Align::right},
               {"error", Align::right}});
  for (const NetworkRow* const row : dense_steps(rows)) {
    const MeasuredNetwork& measured = row->measured;
    const auto& measured_us = measured.measured.dense_us;
    table.add_row({std::to_string(measured.where.line), row->machine, measured.network,
                   measured.config, std::string(to_string(measured.dtype)), measured.framework,
                   time_cell(measured_us), time_cell(row->simulated.dense_us),
                   error_cell(relative_error(row->simulated.dense_us, measured_us))});
  }
  return table;
}

Table step_table(const std::vector<NetworkRow>& rows) {
  Table table({{"machine"},
               {"framework"},
               {"rows", Align::right},
               {"mean error", Align::right},
               {"bias", Align::right}});
  for (const auto& [key, points] : points_of(rows)) {
    const ErrorSummary errors = error_statistics(points);
    table.add_row({key.first, key.second, std::to_string(errors.rows),
                   format_percent(errors.mean_absolute), error_cell(errors.bias)});
  }
  return table;
}

}  // namespace stcsim
