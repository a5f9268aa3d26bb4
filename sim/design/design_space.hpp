#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/cost/cost_table.hpp"
#include "sim/design/lattice.hpp"
#include "sim/sweep/sweep_plan.hpp"

namespace stcsim {

/// Something of a machine that can grow: an axis of numbers, or several that are zipped.
struct Resource {
  /// The zip's name, or else the shortest ending of its first axis that no other axis has.
  std::string name;
  /// By their place in Space::axes.
  std::vector<std::size_t> axes;
};

/// A space as one machine whose resources grow, from the first value of each to the last, and the
/// work that all these machines do.
class DesignSpace {
 public:
  /// @throws ConfigError if it has several machines, nothing that can grow, numbers that do not
  ///   grow towards a faster machine, or does not have all combinations (`sample`, `where`)
  explicit DesignSpace(Space space);

  [[nodiscard]] const Space& space() const { return space_; }
  [[nodiscard]] const std::vector<Resource>& resources() const { return resources_; }
  [[nodiscard]] const Lattice& lattice() const { return lattice_; }

  /// What an axis of a resource has at a level, as the space writes it, and as a number
  /// (infinite if `unlimited`).
  [[nodiscard]] const std::string& label(std::size_t axis, std::size_t level) const {
    return space_.axes[axis].values[level]->label;
  }
  [[nodiscard]] double value(std::size_t axis, std::size_t level) const {
    return *space_.axes[axis].values[level]->number();
  }
  /// How far a resource has grown, by its first axis; nothing where that is without a limit.
  [[nodiscard]] std::optional<double> factor(std::size_t resource, std::size_t level) const;

  /// Whether growing makes the number of an axis larger: not that of a latency.
  [[nodiscard]] bool rises(std::size_t axis) const { return value(axis, 1) > value(axis, 0); }

  /// The space with this machine alone: its points have the keys they have in the whole space.
  [[nodiscard]] Space with_machine(std::size_t machine) const;
  /// What machines are made of; a value for each machine axis, null for the others.
  [[nodiscard]] Assignment machine_values(std::size_t machine) const;

 private:
  /// What a machine has on each axis that grows; null on the others.
  [[nodiscard]] Assignment grown_values(std::size_t machine) const;
  void find_resources();
  void add_resource(const Dimension& dimension);
  void check_growth(const Axis& axis) const;
  void check_all_combinations() const;

  Space space_;
  std::vector<Resource> resources_;
  Lattice lattice_;
};

/// What is known of every machine of a space without simulating it.
class MachineMeasures {
 public:
  /// @param table  of areas
  /// @throws ConfigError for a machine that cannot be, or a table without areas
  MachineMeasures(const DesignSpace& space, const CostTable& table);

  /// Of each machine, as far as the table knows.
  [[nodiscard]] const std::vector<double>& areas_mm2() const { return area_mm2_; }
  /// 1.1 is a tenth more than the base machine's.
  [[nodiscard]] double area_ratio(std::size_t machine) const {
    return area_mm2_[machine] / area_mm2_.front();
  }
  /// 10^9 bytes a second that DRAM has at most.
  [[nodiscard]] double dram_gb_per_s(std::size_t machine) const { return dram_gb_per_s_[machine]; }

  /// How much each machine has of what a budget names; nothing of watts, which only a simulation
  /// tells. @throws ConfigError if that is nothing, or several things
  [[nodiscard]] std::optional<std::vector<double>> named(const std::string& name) const;

 private:
  const DesignSpace& space_;
  std::vector<double> area_mm2_;
  std::vector<double> dram_gb_per_s_;
};

}  // namespace stcsim
