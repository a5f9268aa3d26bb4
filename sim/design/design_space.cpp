#include "sim/design/design_space.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/field_list.hpp"
#include "common/io/yaml_value.hpp"
#include "sim/config/machine.hpp"
#include "sim/sweep/axis.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kMachine = "machine";

/// Infinite for `unlimited`; nothing for what is no number.
std::optional<double> number_of(const AxisValue& value) {
  if (value.label == kUnlimited) return std::numeric_limits<double>::infinity();
  return double_of(value.node);
}

/// "kernels.3.stages" as documentation has it: "kernels.*.stages".
std::string without_indices(const std::string& key) {
  std::string path;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const std::string part = key.substr(begin, end - begin);
    const bool is_index = part.find_first_not_of("0123456789") == std::string::npos;
    path += (path.empty() ? "" : ".") + (is_index ? "*" : part);
    begin = end + 1;
  }
  return path;
}

/// What more of a machine's key does.
Effect effect_of(const std::string& key) {
  const std::string path = without_indices(key);
  for (const ListedField& listed : list_fields<MachineConfig>()) {
    if (listed.path() == path) return listed.field.effect;
  }
  return Effect::either;
}

/// As errors show them.
std::string values_text(const Axis& axis) {
  std::string text;
  for (const AxisValuePointer& value : axis.values) {
    text += (text.empty() ? "" : ", ") + value->label;
  }
  return text;
}

Lattice lattice_of(const Space& space, const std::vector<Resource>& resources) {
  Levels sizes;
  std::size_t count = 1;
  for (const Resource& resource : resources) {
    sizes.push_back(space.axes[resource.axes.front()].values.size());
    count *= sizes.back();
    if (count <= static_cast<std::size_t>(kMostPoints)) continue;
    throw ConfigError(
        fmt::format("space '{}' has more than {} machines: leave out values, or zip "
                    "what grows together",
                    space.name, kMostPoints));
  }
  return Lattice(std::move(sizes));
}

}  // namespace

DesignSpace::DesignSpace(Space space) : space_(std::move(space)), lattice_({}) {
  check_all_combinations();
  find_resources();
  lattice_ = lattice_of(space_, resources_);
}

void DesignSpace::check_all_combinations() const {
  if (space_.sampling) {
    throw ConfigError(space_.sampling->where,
                      "a design looks for machines itself, the space must have no 'sample'");
  }
  for (const Axis& axis : space_.axes) {
    const bool is_pattern = axis.name == "gemm.pattern" || axis.name == "scheme.pattern";
    if (!is_pattern || axis.values.size() == 1) continue;
    throw ConfigError(
        axis.where, fmt::format("a design is of one pattern, '{}' must have one: {}, or another of "
                                "{}",
                                axis.name, axis.values.front()->label, values_text(axis)));
  }
  for (std::size_t at = 0; at < space_.axes.size(); ++at) {
    for (const Constraint& constraint : space_.constraints) {
      if (space_.axes[at].root() != kMachine || !constraint.compares(at)) continue;
      throw ConfigError(
          constraint.where(),
          fmt::format("'where' must not compare '{}' in a design: zip what grows together, and set "
                      "bounds with --max",
                      space_.axes[at].name));
    }
  }
}

void DesignSpace::find_resources() {
  const Axis& machines = space_.axes.front();
  if (machines.values.size() > 1) {
    throw ConfigError(
        machines.values[1]->node.location,
        fmt::format("a design grows one machine, 'machines' must have one: {}, or another of {}",
                    machines.values.front()->label, values_text(machines)));
  }
  for (const Dimension& dimension : space_.dimensions) {
    const Axis& first = space_.axes[dimension.axes.front()];
    if (first.root() == kMachine && first.values.size() > 1) add_resource(dimension);
  }
  if (!resources_.empty()) return;
  throw ConfigError(machines.where,
                    "no number of the machine has several values: nothing can grow, must have an "
                    "axis such as machine.accelerator.l2_cache.read_bytes_per_clk: [3840, 7680]");
}

void DesignSpace::add_resource(const Dimension& dimension) {
  for (const std::size_t at : dimension.axes) {
    const Axis& axis = space_.axes[at];
    if (axis.root() != kMachine) {
      throw ConfigError(axis.where,
                        fmt::format("'{}' is zipped with '{}', must not be: work does "
                                    "not grow with the machine",
                                    axis.name, space_.axes[dimension.axes.front()].name));
    }
    check_growth(axis);
  }
  std::vector<std::string> names;
  for (const Axis& axis : space_.axes) names.push_back(axis.name);
  const std::string& first = space_.axes[dimension.axes.front()].name;
  resources_.push_back(
      {dimension.name.empty() ? short_name(first, names) : dimension.name, dimension.axes});
}

void DesignSpace::check_growth(const Axis& axis) const {
  const Effect effect = effect_of(axis.key());
  if (effect != Effect::faster && effect != Effect::slower) {
    throw ConfigError(axis.where,
                      fmt::format("more of '{}' is not always faster, or always slower: a design "
                                  "cannot grow it, it must have one value",
                                  axis.name));
  }
  const bool is_up = effect == Effect::faster;
  for (std::size_t at = 0; at < axis.values.size(); ++at) {
    const AxisValue& value = *axis.values[at];
    const std::optional<double> number = number_of(value);
    if (!number) refuse(value.node, axis.name, "a number, to grow");
    if (at == 0) continue;
    const double before = *number_of(*axis.values[at - 1]);
    if (is_up ? *number > before : *number < before) continue;
    throw ConfigError(value.node.location,
                      fmt::format("'{}' has {} after {}, must be written from the slowest machine "
                                  "to the fastest: {}",
                                  axis.name, value.label, axis.values[at - 1]->label,
                                  is_up ? "rising" : "falling"));
  }
}

const std::string& DesignSpace::label(std::size_t axis, std::size_t level) const {
  return space_.axes[axis].values[level]->label;
}

double DesignSpace::value(std::size_t axis, std::size_t level) const {
  return *number_of(*space_.axes[axis].values[level]);
}

Space DesignSpace::with_machine(std::size_t machine) const {
  Space one = space_;
  for (std::size_t at = 0; at < resources_.size(); ++at) {
    const std::size_t level = lattice_.level(machine, at);
    for (const std::size_t axis : resources_[at].axes) {
      one.axes[axis].values = {space_.axes[axis].values[level]};
    }
  }
  return one;
}

Assignment DesignSpace::machine_values(std::size_t machine) const {
  Assignment values(space_.axes.size());
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (space_.axes[at].root() == kMachine) values[at] = space_.axes[at].values.front();
  }
  for (std::size_t at = 0; at < resources_.size(); ++at) {
    const std::size_t level = lattice_.level(machine, at);
    for (const std::size_t axis : resources_[at].axes) {
      values[axis] = space_.axes[axis].values[level];
    }
  }
  return values;
}

}  // namespace stcsim
