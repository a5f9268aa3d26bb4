#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/sweep/sweep_run.hpp"

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

/// An axis's label as data files have it: what is a number is one.
[[nodiscard]] nlohmann::ordered_json label_json(const std::string& label);

[[nodiscard]] SweepTable sweep_table(const SweepPlan& plan, const SweepStore& store);

/// What the actions of `stcsim sweep` say.
[[nodiscard]] std::string plan_text(const Space& space, const SweepForecast& all,
                                    std::size_t width);
[[nodiscard]] std::string plan_json(const Space& space, const SweepForecast& all);
[[nodiscard]] std::string outcome_text(const SweepOutcome& outcome,
                                       const std::filesystem::path& results);
[[nodiscard]] std::string status_text(const SweepTable& table,
                                      const std::filesystem::path& results);
[[nodiscard]] std::string status_json(const Space& space, const SweepTable& table);
/// stcsim.sweep/1: the space, its axes, and the rows.
[[nodiscard]] std::string sweep_to_json(const Space& space, const SweepTable& table);
[[nodiscard]] std::string sweep_to_csv(const SweepTable& table);

/// A column of a sweep's table, and which of its values are the better ones.
struct Objective {
  std::string column;
  bool is_largest_best = false;
};

/// The rows that no other row of the same work (work_of()) beats: none is at least as good in
/// every objective and better in one. Rows that lack one of the numbers are left out. The table's
/// order is kept.
/// @throws ConfigError if a column is unknown, or has no number
[[nodiscard]] SweepTable pareto_front(const SweepTable& table,
                                      const std::vector<Objective>& objectives, const Space& space);

/// The front as a table for people: the axes that differ, and the objectives.
[[nodiscard]] std::string pareto_text(const SweepTable& front, const Space& space,
                                      const std::vector<Objective>& objectives, std::size_t width);

/// What a sweep found, of its GEMMs and of its steps: the choices of machine, pattern, scheme and
/// whatever else is no work that no other beats in area and in gain over dense, the geometric mean
/// over all work; which of them is the knee (the farthest from the line between both ends, area and
/// gain scaled to these); and what each axis does to the gain, all else equal.
/// Choices that lack some of the work are left out.
/// @param each  of each work by itself instead
[[nodiscard]] std::string sweep_answer(const Space& space, const SweepTable& table, bool each,
                                       std::size_t width);

/// What an axis is called in tables: "L2 read" in "B/clk". The unit is "" where the key names none.
struct AxisWords {
  std::string name;
  std::string unit;

  [[nodiscard]] std::string text() const { return unit.empty() ? name : name + ", " + unit; }
  /// "L2 read 3840 B/clk"
  [[nodiscard]] std::string with(const std::string& value) const {
    return name + " " + value + (unit.empty() ? "" : " " + unit);
  }
};
/// @param names  all axes: one that would be called as another is keeps its key (short_name())
[[nodiscard]] AxisWords axis_words(const std::string& axis, const std::vector<std::string>& names);

/// Whether an axis says what is done, not what with: of a network or a GEMM, all but its pattern.
/// Points of different work are never held against each other.
[[nodiscard]] bool is_axis_of_work(const std::string& axis);

/// The pattern of a row, of its GEMM or its scheme, where the space has several; else "". Patterns
/// lose different accuracy, so that those that keep less never compete with those that keep more.
[[nodiscard]] std::string pattern_of(const nlohmann::ordered_json& row, const Space& space);

/// A cell of a sweep's row as people read it; "" where there is none.
[[nodiscard]] std::string cell_of(const nlohmann::ordered_json& row, const std::string& column);
/// The work of a row: its values of such axes as have several, "" if none has.
[[nodiscard]] std::string work_of(const nlohmann::ordered_json& row, const Space& space);

}  // namespace stcsim
