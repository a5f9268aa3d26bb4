#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/design/lattice.hpp"
#include "sim/sweep/space.hpp"
#include "sim/sweep/sweep_parts.hpp"
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
  [[nodiscard]] const std::string& label(std::size_t axis, std::size_t level) const;
  [[nodiscard]] double value(std::size_t axis, std::size_t level) const;

  /// Whether growing makes the number of an axis larger: not that of a latency.
  [[nodiscard]] bool rises(std::size_t axis) const { return value(axis, 1) > value(axis, 0); }

  /// The space with this machine alone: its points have the keys they have in the whole space.
  [[nodiscard]] Space with_machine(std::size_t machine) const;
  /// What machines are made of; a value for each machine axis, null for the others.
  [[nodiscard]] Assignment machine_values(std::size_t machine) const;

 private:
  void find_resources();
  void add_resource(const Dimension& dimension);
  void check_growth(const Axis& axis) const;
  void check_all_combinations() const;

  Space space_;
  std::vector<Resource> resources_;
  Lattice lattice_;
};

}  // namespace stcsim
