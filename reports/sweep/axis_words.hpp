#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/sweep/space.hpp"

namespace stcsim {

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
