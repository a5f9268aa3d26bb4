#include "reports/validation/error_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "common/io/format.hpp"
#include "reports/validation/cells.hpp"
#include "reports/validation/fidelity.hpp"
#include "reports/validation/row_tables.hpp"
#include "reports/validation/selection.hpp"

namespace stcsim {
namespace {

using MeasuredAndSimulated = std::vector<std::pair<double, double>>;

double log_error_of(const std::pair<double, double>& point) {
  return std::log(point.second / point.first);
}

ErrorCell cell_of(const std::string& machine, const std::string& dtype, const std::string& quantity,
                  const MeasuredAndSimulated& points, double blind_half) {
  std::vector<double> log_errors;
  for (const auto& point : points) log_errors.push_back(log_error_of(point));
  return {machine, dtype, quantity, error_statistics(points),
          half_width(std::move(log_errors), blind_half)};
}

/// Those of blind cards, by GemmFigure.
std::array<double, 3> blind_halves(const TimeErrors& blind) {
  return {blind.dense.half, blind.sparse.half, blind.gain.half};
}

void add_gemms(std::vector<ErrorCell>& cells, const ValidationResults& results) {
  std::map<std::tuple<std::string, DataType, GemmFigure>,
           std::pair<MeasuredAndSimulated, std::vector<GroupedError>>>
      found;
  for (const ValidationRow& row : results.gemms) {
    if (!row.skipped.empty() || !is_scored(row.gemm.use) || size_class(row) != SizeClass::large)
      continue;
    for (const GemmFigureName& name : kGemmFigures) {
      const auto point = measured_and_predicted(row, name.quantity, &ValidationRow::simulated);
      if (!point) continue;
      auto& [points, errors] = found[{row.machine, row.gemm.problem.dtype, name.quantity}];
      points.push_back(*point);
      errors.push_back({group_of(row.gemm), log_error_of(*point)});
    }
  }
  for (const auto& [key, of_key] : found) {
    const auto& [machine, dtype, quantity] = key;
    const auto& [points, errors] = of_key;
    const auto figure = static_cast<std::size_t>(quantity);
    const double blind = blind_halves(results.blind).at(figure);
    cells.push_back(cell_of(machine, std::string(to_string(dtype)), kGemmFigures.at(figure).key,
                            points, blind));
    const auto inside = std::count_if(errors.begin(), errors.end(), [&](const auto& error) {
      return std::abs(error.log_error) <= blind;
    });
    cells.back().inside_as_blind = static_cast<double>(inside) / static_cast<double>(errors.size());
    cells.back().inside_left_out = inside_left_out(errors, blind);
  }
}

void add_selections(std::vector<ErrorCell>& cells, const std::vector<ValidationRow>& rows) {
  for (const Selection& one : selections(rows)) {
    const ErrorSummary errors{one.rows, std::abs(one.excess()), one.excess(), {}};
    cells.push_back({one.machine, std::string(to_string(one.dtype)), "selection", errors});
  }
}

/// Kernels beside the GEMMs, and whole dense training steps, by machine.
void add_others(std::vector<ErrorCell>& cells, const ValidationResults& results) {
  std::map<std::pair<std::string, std::string>, MeasuredAndSimulated> points;
  for (const StreamRow& row : results.streams) {
    if (row.time_us)
      points[{"stream", row.machine}].emplace_back(row.measured.time_us, *row.time_us);
  }
  for (const NetworkRow* const row : dense_steps(results.networks)) {
    points[{"step", row->machine}].emplace_back(*row->measured.measured.dense_us,
                                                *row->simulated.dense_us);
  }
  for (const auto& [key, of_key] : points) {
    cells.push_back(cell_of(key.second, "", key.first, of_key, 0));
  }
}

/// An order of the groups, the same on every computer.
std::vector<std::string> shuffled(std::vector<std::string> groups, int seed) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  for (std::size_t left = groups.size(); left > 1; --left) {
    std::swap(groups[left - 1], groups[random() % left]);
  }
  return groups;
}

nlohmann::ordered_json object_of(const ErrorCell& cell) {
  const auto rounded = [](double value) { return std::round(value * 1e4) / 1e4; };
  const auto rounded_if = [&](const std::optional<double>& value) {
    return value ? std::optional(rounded(*value)) : std::nullopt;
  };
  return figures({{"machine", cell.machine},
                  {"dtype", cell.dtype},
                  {"quantity", cell.quantity},
                  {"rows", cell.errors.rows},
                  {"mean_absolute_error", rounded(cell.errors.mean_absolute)},
                  {"bias", rounded(cell.errors.bias)},
                  {"half_width", rounded(cell.half_width)},
                  {"inside_as_blind", rounded_if(cell.inside_as_blind)},
                  {"inside_left_out", rounded_if(cell.inside_left_out)}});
}

}  // namespace

std::string group_of(const MeasuredGemm& gemm) {
  const bool names_network = !gemm.note.empty() && gemm.note.find(' ') == std::string::npos;
  return names_network ? gemm.note : fmt::format("{}x{}", gemm.problem.m, gemm.problem.k);
}

std::optional<double> inside_left_out(const std::vector<GroupedError>& errors, double blind_half) {
  std::set<std::string> names;
  for (const GroupedError& error : errors) names.insert(error.group);
  const std::vector<std::string> groups(names.begin(), names.end());
  if (groups.size() < 2) return std::nullopt;
  double sum = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const std::vector<std::string> order = shuffled(groups, draw);
    // Of an odd number, the larger half in every other draw.
    const std::size_t half = (groups.size() + static_cast<std::size_t>(draw % 2)) / 2;
    const std::set<std::string> kept(order.begin(),
                                     order.begin() + static_cast<std::ptrdiff_t>(half));
    std::vector<double> own;
    std::vector<double> left_out;
    for (const GroupedError& error : errors) {
      (kept.contains(error.group) ? own : left_out).push_back(error.log_error);
    }
    const double width = half_width(own, blind_half);
    const auto inside = std::count_if(left_out.begin(), left_out.end(),
                                      [&](double error) { return std::abs(error) <= width; });
    sum += static_cast<double>(inside) / static_cast<double>(left_out.size());
  }
  return sum / kDraws;
}

std::vector<ErrorCell> error_cells(const ValidationResults& results) {
  std::vector<ErrorCell> cells;
  add_gemms(cells, results);
  add_selections(cells, results.gemms);
  add_others(cells, results);
  return cells;
}

std::string error_cells_csv(const std::vector<ErrorCell>& cells) {
  std::vector<nlohmann::ordered_json> objects;
  for (const ErrorCell& cell : cells) objects.push_back(object_of(cell));
  return to_csv(object_of(ErrorCell()), objects);
}

Table interval_table(const std::vector<ErrorCell>& cells) {
  Table table({{"machine"},
               {"type"},
               {"quantity"},
               {"rows", Align::right},
               {"interval", Align::right},
               {"as blind", Align::right},
               {"left out", Align::right}});
  const auto share = [](const std::optional<double>& of) { return of ? format_percent(*of) : "-"; };
  for (const ErrorCell& cell : cells) {
    if (cell.half_width <= 0) continue;
    table.add_row({cell.machine, cell.dtype.empty() ? "all" : cell.dtype, cell.quantity,
                   std::to_string(cell.errors.rows),
                   fmt::format("{} {}", error_cell(std::exp(-cell.half_width) - 1),
                               error_cell(std::exp(cell.half_width) - 1)),
                   share(cell.inside_as_blind), share(cell.inside_left_out)});
  }
  return table;
}

}  // namespace stcsim
