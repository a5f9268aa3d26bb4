#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/config_field.hpp"
#include "common/io/suggestion.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/cost/cost_table.hpp"

namespace stcsim {

/// Most of a figure of a table.
inline constexpr std::int64_t kMostCost = 1'000'000'000'000;

template <class What>
inline constexpr bool kIsEnergy = std::is_same_v<What, Action>;
/// What files call the key that names what costs.
template <class What>
inline constexpr std::string_view kWhatKey = kIsEnergy<What> ? "action" : "part";

/// What one action or part costs, as files have it: a unit of the block diagram, and what it does
/// or consists of.
template <class What>
struct CostLine {
  std::string unit;
  std::string name;
  std::optional<DataType> dtype;
  double value = 0;
  std::string source;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("unit", "of the block diagram"), self.unit);
    visitor.field(
        field::text(kWhatKey<What>, kIsEnergy<What> ? "what it does" : "what it consists of"),
        self.name);
    visitor.field(
        field::type("dtype", "only of operands of this type", operand_data_types()).optional("all"),
        self.dtype);
    visitor.field(
        field::of(kIsEnergy<What> ? "pj" : "um2", kIsEnergy<What> ? "pJ" : "um^2", "of one")
            .from(0, kMostCost),
        self.value);
    visitor.field(field::text("source", "where it is from, and how it was derived"), self.source);
  }
};

/// A file of costs.
struct CostFile {
  std::string name;
  std::string description;
  std::int64_t node_nm = 0;
  CostBasis basis = CostBasis::own;
  std::vector<CostLine<Action>> energies;
  std::vector<CostLine<Part>> areas;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("name", "what results call it"), self.name);
    visitor.field(field::optional_text("description", "one line, for `stcsim list costs`"),
                  self.description, "");
    visitor.field(field::of("node_nm", "nm", "of the process").from(1, 1000).optional("unknown"),
                  self.node_nm);
    visitor.field(field::one_of("basis",
                                "`own`: picojoules of this file's node, comparable with each "
                                "other; `board`: what the machine's `power` says its board draws",
                                CostBasis::board)
                      .optional(),
                  self.basis);
    visitor.field(field::list("energy", "figures of actions").optional("none"), self.energies);
    visitor.field(field::list("area", "figures of parts").optional("none"), self.areas);
  }
};

template <class What>
[[nodiscard]] const auto& cost_names() {
  if constexpr (kIsEnergy<What>) {
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

/// Adds what an entry of a file says. @throws ConfigError at it if there is no such action or part,
/// or `entries` has a figure for it already
template <class What>
void add_cost(const MapReader& map, const CostLine<What>& line,
              std::vector<CostEntry<What>>& entries) {
  const auto what = find_cost<What>(line.unit, line.name);
  if (!what) map.fail(kWhatKey<What>, unknown_cost<What>(line.unit, line.name));
  for (const CostEntry<What>& other : entries) {
    if (other.what != *what || other.dtype != line.dtype) continue;
    map.fail(kWhatKey<What>, fmt::format("{} {} is here a second time", line.unit, line.name));
  }
  entries.push_back({*what, line.dtype, line.value, line.source});
}

}  // namespace stcsim
