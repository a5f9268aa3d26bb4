#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/suggestion.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/cost/cost_table.hpp"

namespace stcsim {

/// What a figure of a table may be.
inline constexpr DoubleRange kCosts{.min = 0, .max = 1e12};
inline constexpr DoubleRange kPositiveCosts{.min = 0, .max = 1e12, .above_min = true};

template <class What>
[[nodiscard]] const auto& cost_names() {
  if constexpr (std::is_same_v<What, Action>) {
    return kActionNames;
  } else {
    return kPartNames;
  }
}

/// The action or part that files call so.
template <class What>
[[nodiscard]] std::optional<What> find_cost(std::string_view unit, std::string_view name) {
  for (const auto& one : cost_names<What>()) {
    if (one.unit == unit && one.name == name) return one.what;
  }
  return std::nullopt;
}

/// What to say where there is none: the nearest names there are.
template <class What>
[[nodiscard]] std::string unknown_cost(const std::string& unit, const std::string& name) {
  std::vector<std::string> units;
  std::vector<std::string> of_unit;
  for (const auto& one : cost_names<What>()) {
    if (units.empty() || units.back() != one.unit) units.emplace_back(one.unit);
    if (one.unit == unit) of_unit.emplace_back(one.name);
  }
  if (of_unit.empty()) {
    return fmt::format("unknown unit '{}', must be one of {}{}", unit, fmt::join(units, ", "),
                       did_you_mean(unit, units));
  }
  return fmt::format("'{}' has no '{}', must be one of {}{}", unit, name, fmt::join(of_unit, ", "),
                     did_you_mean(name, of_unit));
}

/// Throws at `key` if `entries` has a figure for the same already.
template <class What>
void refuse_second(const MapReader& map, std::string_view key,
                   const std::vector<CostEntry<What>>& entries, const CostEntry<What>& entry) {
  for (const CostEntry<What>& other : entries) {
    if (other.what != entry.what || other.dtype != entry.dtype) continue;
    map.fail(key, fmt::format("{} {} is here a second time", name_of(entry.what).unit,
                              name_of(entry.what).name));
  }
}

}  // namespace stcsim
