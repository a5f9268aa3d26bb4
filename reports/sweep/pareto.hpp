#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/sweep/sweep_table.hpp"

namespace stcsim {

/// A column of a sweep's table, and which of its values are the better ones.
struct Objective {
  std::string column;
  bool is_largest_best = false;
};

/// The rows that no other row beats: none is at least as good in every objective and better in one.
/// Rows that lack one of the numbers are left out. The table's order is kept.
/// @throws ConfigError if a column is unknown, or has no number
[[nodiscard]] SweepTable pareto_front(const SweepTable& table,
                                      const std::vector<Objective>& objectives);

/// The front as a table for people: the axes that differ, and the objectives.
/// @param axes  names of the columns shown beside the objectives
[[nodiscard]] std::string pareto_text(const SweepTable& front, const std::vector<std::string>& axes,
                                      const std::vector<Objective>& objectives, std::size_t width);

}  // namespace stcsim
