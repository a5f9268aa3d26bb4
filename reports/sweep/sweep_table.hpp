#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/sweep/sweep_plan.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace stcsim {

/// A sweep's results: a row per point that is done, in the plan's order, whatever order they were
/// simulated in.
struct SweepTable {
  /// Objects: point (its number in the plan, from 1), kind, axes, figures, area_mm2 (of the
  /// machine, by kDefaultCosts). Flat.
  std::vector<nlohmann::ordered_json> rows;
  /// All keys of the rows, in the order of their first row.
  nlohmann::ordered_json shape;
  /// Points of the plan, those that failed, with their number and why, and those not done yet.
  std::int64_t points = 0;
  std::vector<std::pair<std::int64_t, std::string>> failures;
  std::int64_t missing = 0;

  [[nodiscard]] std::vector<std::string> columns() const;
};

/// All axes of a space: name, number of the dimension (the same of axes that are zipped), name of
/// the zip ("" if it has none), and the values' labels (none if they are drawn).
[[nodiscard]] nlohmann::ordered_json axes_json(const Space& space);

[[nodiscard]] SweepTable sweep_table(const SweepPlan& plan, const SweepStore& store);

/// stcsim.sweep/1: the space, its axes, and the rows.
[[nodiscard]] std::string sweep_to_json(const Space& space, const SweepTable& table);
[[nodiscard]] std::string sweep_to_csv(const SweepTable& table);

/// A column of a sweep's table, and which of its values are the better ones.
struct Objective {
  std::string column;
  bool is_largest_best = false;
};

/// The rows that no other row of the same work (axis_words.hpp) beats: none is at least as good in
/// every objective and better in one. Rows that lack one of the numbers are left out. The table's
/// order is kept.
/// @throws ConfigError if a column is unknown, or has no number
[[nodiscard]] SweepTable pareto_front(const SweepTable& table,
                                      const std::vector<Objective>& objectives, const Space& space);

/// The front as a table for people: the axes that differ, and the objectives.
/// @param axes  names of the columns shown beside the objectives
[[nodiscard]] std::string pareto_text(const SweepTable& front, const std::vector<std::string>& axes,
                                      const std::vector<Objective>& objectives, std::size_t width);

}  // namespace stcsim
