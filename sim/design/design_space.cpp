#include "sim/design/design_space.hpp"

#include <algorithm>
#include <cmath>
#include <regex>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "common/io/field_list.hpp"
#include "common/io/yaml_value.hpp"
#include "common/suggestion.hpp"
#include "sim/config/machine.hpp"
#include "sim/cost/machine_area.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kMachine = "machine";
constexpr double kSquareMillimetre = 1e6;  // um2

/// What more of a machine's key does.
Effect effect_of(const std::string& key) {
  // "kernels.3.stages" as documentation has it: "kernels.*.stages".
  const std::string path = std::regex_replace(key, std::regex("\\.[0-9]+(?=\\.|$)"), ".*");
  const std::vector<ListedField> all = list_fields<MachineConfig>();
  const auto listed = std::ranges::find(all, path, &ListedField::path);
  return listed == all.end() ? Effect::either : listed->field.effect;
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
  const std::string& first = space_.axes[dimension.axes.front()].name;
  const bool is_named = !dimension.name.empty();
  resources_.push_back(
      {is_named ? dimension.name : short_name(first, names_of(space_.axes)), dimension.axes});
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
    const std::optional<double> number = value.number();
    if (!number) refuse(value.node, axis.name, "a number, to grow");
    if (at == 0) continue;
    const double before = *axis.values[at - 1]->number();
    if (is_up ? *number > before : *number < before) continue;
    throw ConfigError(value.node.location,
                      fmt::format("'{}' has {} after {}, must be written from the slowest machine "
                                  "to the fastest: {}",
                                  axis.name, value.label, axis.values[at - 1]->label,
                                  is_up ? "rising" : "falling"));
  }
}

std::optional<double> DesignSpace::factor(std::size_t resource, std::size_t level) const {
  const std::size_t axis = resources_[resource].axes.front();
  const double factor = value(axis, level) / value(axis, 0);
  return std::isfinite(factor) ? std::optional(factor) : std::nullopt;
}

Assignment DesignSpace::grown_values(std::size_t machine) const {
  Assignment values(space_.axes.size());
  for (std::size_t at = 0; at < resources_.size(); ++at) {
    const std::size_t level = lattice_.level(machine, at);
    for (const std::size_t axis : resources_[at].axes) {
      values[axis] = space_.axes[axis].values[level];
    }
  }
  return values;
}

Space DesignSpace::with_machine(std::size_t machine) const {
  Space one = space_;
  const Assignment grown = grown_values(machine);
  for (std::size_t at = 0; at < grown.size(); ++at) {
    if (grown[at] != nullptr) one.axes[at].values = {grown[at]};
  }
  return one;
}

Assignment DesignSpace::machine_values(std::size_t machine) const {
  Assignment values = grown_values(machine);
  for (std::size_t at = 0; at < values.size(); ++at) {
    const Axis& axis = space_.axes[at];
    if (values[at] == nullptr && axis.root() == kMachine) values[at] = axis.values.front();
  }
  return values;
}

MachineMeasures::MachineMeasures(const DesignSpace& space, const CostTable& table) : space_(space) {
  MachineMaker maker(space.space());
  for (std::size_t machine = 0; machine < space.lattice().count(); ++machine) {
    const MachineConfig config = maker.config(space.machine_values(machine));
    area_mm2_.push_back(area_of(config, table).machine_um2 / kSquareMillimetre);
    const auto bytes_per_clk = static_cast<double>(config.accelerator.dram.bytes_per_clk);
    dram_gb_per_s_.push_back(bytes_per_clk * config.clock_mhz / 1000);
  }
}

std::optional<std::vector<double>> MachineMeasures::named(const std::string& name) const {
  if (name == "watts") return std::nullopt;
  if (name == "dram_gb_per_s") return dram_gb_per_s_;
  if (name == "area") {
    std::vector<double> ratios = area_mm2_;
    for (double& area : ratios) area /= area_mm2_.front();
    return ratios;
  }
  const auto of_key = [&](std::size_t resource, std::size_t axis) {
    std::vector<double> each;
    for (std::size_t machine = 0; machine < area_mm2_.size(); ++machine) {
      each.push_back(space_.value(axis, space_.lattice().level(machine, resource)));
    }
    return each;
  };
  std::vector<std::string> names{"area", "watts", "dram_gb_per_s"};
  std::vector<std::pair<std::size_t, std::size_t>> found;  // resources, and their axes
  for (std::size_t at = 0; at < space_.resources().size(); ++at) {
    const Resource& resource = space_.resources()[at];
    const std::size_t first = resource.axes.front();
    names.push_back(resource.name);
    if (resource.name == name && space_.rises(first)) return of_key(at, first);
    for (const std::size_t axis : resource.axes) {
      const std::string& key = space_.space().axes[axis].name;
      names.push_back(key);
      const bool is_named = key == name || key.ends_with("." + name);
      if (is_named && space_.rises(axis)) found.emplace_back(at, axis);
    }
  }
  if (found.size() == 1) return of_key(found.front().first, found.front().second);
  throw ConfigError(fmt::format("'{}' is {} of the space, must be one of {}{}", name,
                                found.empty() ? "nothing" : "several keys", fmt::join(names, ", "),
                                did_you_mean(name, names)));
}

}  // namespace stcsim
