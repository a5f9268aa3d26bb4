#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "sim/design/design_space.hpp"
#include "sim/design/work_figures.hpp"
#include "sim/sweep/sweep_run.hpp"

namespace stcsim {

/// Simulates machines of a space with their work, as a sweep of the same space does and into the
/// same file: what either has simulated, the other finds.
class WorkRunner {
 public:
  /// Space and options must outlive it.
  /// @param results  the sweep's file, made when the first machine is simulated
  /// @param options  of the sweeps; `shard` is not used
  /// @param on_machines  called with the number of machines that are known; may be empty
  WorkRunner(const DesignSpace& space, WorkPart part, std::filesystem::path results,
             const SweepOptions& options, std::function<void(std::size_t)> on_machines);

  /// Simulates those that are not known yet, together.
  /// @throws SimulationError that names the machine whose work cannot be simulated
  void prepare(const std::vector<std::size_t>& machines);
  [[nodiscard]] const WorkFigures& of(std::size_t machine);

  /// The work: the points of the base machine.
  [[nodiscard]] std::vector<SweepPoint> work() const { return points_of(0); }
  /// Machines that are known, in the order of their numbers.
  [[nodiscard]] std::vector<std::size_t> known() const;

 private:
  [[nodiscard]] std::vector<SweepPoint> points_of(std::size_t machine) const;
  [[nodiscard]] WorkFigures read(const std::vector<SweepPoint>& points) const;

  const DesignSpace& space_;
  WorkPart part_;
  std::filesystem::path results_;
  std::optional<SweepStore> store_;
  const SweepOptions& options_;
  std::function<void(std::size_t)> on_machines_;
  std::map<std::size_t, WorkFigures> known_;
};

}  // namespace stcsim
