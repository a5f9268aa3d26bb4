#include "reports/sweep/pareto.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/suggestion.hpp"
#include "common/io/table.hpp"
#include "sim/sweep/short_name.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

void check_column(const SweepTable& table, const std::string& column) {
  if (!table.shape.contains(column)) {
    throw ConfigError(fmt::format("'{}' is no column of the sweep{}", column,
                                  did_you_mean(column, table.columns())));
  }
  const auto has_number = [&](const ordered_json& row) {
    return row.contains(column) && row.at(column).is_number();
  };
  if (std::any_of(table.rows.begin(), table.rows.end(), has_number)) return;
  throw ConfigError(fmt::format("column '{}' has no number", column));
}

/// A row's objectives, turned so that less is better; empty if it lacks one.
std::vector<double> costs_of(const ordered_json& row, const std::vector<Objective>& objectives) {
  std::vector<double> costs;
  for (const Objective& objective : objectives) {
    const auto value = row.find(objective.column);
    if (value == row.end() || !value->is_number()) return {};
    costs.push_back(value->get<double>() * (objective.is_largest_best ? -1 : 1));
  }
  return costs;
}

bool beats(const std::vector<double>& a, const std::vector<double>& b) {
  bool is_better = false;
  for (std::size_t at = 0; at < a.size(); ++at) {
    if (a[at] > b[at]) return false;
    is_better = is_better || a[at] < b[at];
  }
  return is_better;
}

std::string cell_of(const ordered_json& row, const std::string& column) {
  const auto value = row.find(column);
  if (value == row.end() || value->is_null()) return "";
  if (value->is_string()) return value->get<std::string>();
  return value->is_number_float() ? fmt::format("{:.5g}", value->get<double>()) : value->dump();
}

}  // namespace

SweepTable pareto_front(const SweepTable& table, const std::vector<Objective>& objectives) {
  for (const Objective& objective : objectives) check_column(table, objective.column);
  std::vector<std::pair<std::vector<double>, std::size_t>> candidates;
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    std::vector<double> costs = costs_of(table.rows[at], objectives);
    if (!costs.empty()) candidates.emplace_back(std::move(costs), at);
  }
  // In this order only rows before one can beat it, and of those only rows of the front need be
  // asked.
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::pair<std::vector<double>, std::size_t>> front;
  for (auto& candidate : candidates) {
    const bool is_beaten = std::any_of(front.begin(), front.end(), [&](const auto& other) {
      return beats(other.first, candidate.first);
    });
    if (!is_beaten) front.push_back(std::move(candidate));
  }
  std::sort(front.begin(), front.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  SweepTable kept = table;
  kept.rows.clear();
  for (const auto& [costs, at] : front) kept.rows.push_back(table.rows[at]);
  return kept;
}

std::string pareto_text(const SweepTable& front, const std::vector<std::string>& axes,
                        const std::vector<Objective>& objectives, std::size_t width) {
  std::vector<std::string> names{"point"};
  names.insert(names.end(), axes.begin(), axes.end());
  std::vector<Column> columns;
  for (const std::string& name : names) {
    columns.push_back({short_name(name, names), Align::left});
  }
  columns.front().align = Align::right;
  for (const Objective& objective : objectives) {
    const bool is_shown = std::find(names.begin(), names.end(), objective.column) != names.end();
    if (is_shown) continue;
    names.push_back(objective.column);
    columns.push_back({objective.column, Align::right});
  }
  Table table(columns);
  for (const ordered_json& row : front.rows) {
    std::vector<std::string> cells;
    for (const std::string& name : names) cells.push_back(cell_of(row, name));
    table.add_row(std::move(cells));
  }
  return fmt::format("{} of {} points are not beaten by another\n\n{}", front.rows.size(),
                     front.points, table.to_string(width));
}

}  // namespace stcsim
