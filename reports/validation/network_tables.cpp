#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "reports/validation/cells.hpp"
#include "reports/validation/errors.hpp"
#include "reports/validation/gemm_rows.hpp"
#include "reports/validation/row_tables.hpp"

namespace stcsim {
namespace {

constexpr const char* kAllFrameworks = "all";
/// A table's phases of rows that have a line of their own: scripts of fine-tuning are special, and
/// a feed-forward part is no network.
constexpr std::array<std::string_view, 2> kPhasesApart{"fine-tuning", "part of a network"};

/// "" of whole steps of a training.
std::string_view phase_apart(const NetworkRow& row) {
  for (const std::string_view phase : kPhasesApart) {
    if (row.measured.phase == phase) return phase;
  }
  return "";
}

using Points = std::vector<std::pair<double, double>>;  // measured and simulated ms

/// Steps, and the first and the last year of their software; 0 where it is not known.
struct StepPoints {
  Points ms;
  std::int64_t first_year = 0;
  std::int64_t last_year = 0;

  void add(const NetworkRow& row) {
    constexpr double kMicroseconds = 1000;
    ms.emplace_back(*row.measured.measured.dense_us / kMicroseconds,
                    *row.simulated.dense_us / kMicroseconds);
    const std::int64_t year = row.measured.software_year.value_or(0);
    if (year == 0) return;
    first_year = first_year == 0 ? year : std::min(first_year, year);
    last_year = std::max(last_year, year);
  }
  [[nodiscard]] std::string years() const {
    if (first_year == 0) return "-";
    if (first_year == last_year) return std::to_string(first_year);
    return fmt::format("{} to {}", first_year, last_year);
  }
};

/// By machine and framework, and by machine alone (some phases apart).
std::map<std::pair<std::string, std::string>, StepPoints> points_of(
    const std::vector<NetworkRow>& rows) {
  std::map<std::pair<std::string, std::string>, StepPoints> points;
  for (const NetworkRow* const row : dense_steps(rows)) {
    const std::string apart(phase_apart(*row));
    points[{row->machine, apart.empty() ? kAllFrameworks : apart}].add(*row);
    const std::string note = apart.empty() ? "" : ", " + apart;
    points[{row->machine, row->measured.framework + note}].add(*row);
  }
  return points;
}

/// What sparse passes of one network on one GPU are off; pairs of what was measured and simulated.
struct TrainingPoints {
  Points dense_us;
  Points sparse_us;
  Points gains;
  std::int64_t too_high = 0;
  std::int64_t too_low = 0;
};

void add_training_row(TrainingPoints& points, const NetworkRow& row) {
  constexpr double kNoticeable = 0.02;
  const NetworkFigures& measured = row.measured.measured;
  const auto add = [](Points& to, const std::optional<double>& was,
                      const std::optional<double>& is) {
    if (was && is) to.emplace_back(*was, *is);
  };
  add(points.dense_us, measured.dense_us, row.simulated.dense_us);
  add(points.sparse_us, measured.sparse_us, row.simulated.sparse_us);
  add(points.gains, measured.speedup.low, row.simulated.speedup.low);
  const double error = distance_from(row.simulated.speedup, measured.speedup).value_or(0);
  points.too_high += error > kNoticeable ? 1 : 0;
  points.too_low += error < -kNoticeable ? 1 : 0;
}

bool is_sparse_training(const NetworkRow& row) {
  const MeasuredNetwork& measured = row.measured;
  return row.skipped.empty() && measured.scope == Scope::passes && !measured.inference &&
         measured.measured.speedup.low && row.simulated.speedup.low;
}

std::string errors_cell(const Points& points) {
  if (points.empty()) return "-";
  const ErrorSummary errors = error_statistics(points);
  return format_percent(errors.mean_absolute) + ", " + error_cell(errors.bias);
}

std::string title_of(const MeasuredNetwork& network) {
  return network.config.empty() ? network.network : network.network + ", " + network.config;
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
               {"software of", Align::left, 1},
               {"rows", Align::right},
               {"mean error", Align::right},
               {"bias", Align::right}});
  for (const auto& [key, points] : points_of(rows)) {
    const ErrorSummary errors = error_statistics(points.ms);
    table.add_row({key.first, key.second, points.years(), std::to_string(errors.rows),
                   format_percent(errors.mean_absolute), error_cell(errors.bias)});
  }
  return table;
}

std::optional<Table> training_table(const std::vector<NetworkRow>& rows) {
  std::map<std::pair<std::string, std::string>, TrainingPoints> by_network;
  for (const NetworkRow& row : rows) {
    if (!is_sparse_training(row)) continue;
    add_training_row(by_network[{row.measured.gpu, row.measured.network}], row);
  }
  if (by_network.empty()) return std::nullopt;
  Table table({{"gpu"},
               {"network"},
               {"rows", Align::right},
               {"dense time", Align::right, 1},
               {"sparse time", Align::right, 1},
               {"gain", Align::right},
               {"> 2 % too high", Align::right},
               {"too low", Align::right}});
  for (const auto& [key, points] : by_network) {
    table.add_row({key.first, key.second, std::to_string(points.gains.size()),
                   errors_cell(points.dense_us), errors_cell(points.sparse_us),
                   errors_cell(points.gains), std::to_string(points.too_high),
                   std::to_string(points.too_low)});
  }
  return table;
}

Table network_table(const std::vector<NetworkRow>& rows) {
  std::vector<Column> columns{
      {"line", Align::right},   {"gpu"}, {"network"}, {"type"}, {"scheme", Align::left, 4},
      {"scope", Align::left, 2}};
  constexpr std::array<std::pair<const char*, int>, 3> kTriples{
      {{"dense time", 3}, {"sparse time", 1}, {"speedup", 0}}};
  for (const auto& [quantity, dispensable] : kTriples) {
    columns.push_back({quantity, Align::right, dispensable});
    columns.push_back({"simulated", Align::right, dispensable});
    columns.push_back({"error", Align::right, dispensable});
  }
  columns.push_back({"framework", Align::left, 5});
  Table table(columns);
  for (const NetworkRow& row : rows) {
    if (!row.skipped.empty() || is_dense_step(row)) continue;
    const MeasuredNetwork& network = row.measured;
    const NetworkFigures& measured = network.measured;
    const NetworkFigures& simulated = row.simulated;
    table.add_row({std::to_string(network.where.line), network.gpu, title_of(network),
                   std::string(to_string(network.dtype)), network.scheme,
                   std::string(to_string(network.scope)), time_cell(measured.dense_us),
                   time_cell(simulated.dense_us),
                   error_cell(relative_error(simulated.dense_us, measured.dense_us)),
                   time_cell(measured.sparse_us), time_cell(simulated.sparse_us),
                   error_cell(relative_error(simulated.sparse_us, measured.sparse_us)),
                   speedup_cell(measured.speedup), speedup_cell(simulated.speedup),
                   error_cell(distance_from(simulated.speedup, measured.speedup)),
                   network.framework});
  }
  return table;
}

}  // namespace stcsim
