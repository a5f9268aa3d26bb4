#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/design/design_space.hpp"
#include "sim/sweep/sweep_run.hpp"

namespace stcsim {

/// What of a space's work counts: its GEMMs, or of its steps the whole, all GEMMs, or those of a
/// phase.
enum class WorkPart : std::uint8_t { gemm, step, gemms, forward, dgrad, wgrad };

/// The kind of points that a part of the work is of.
[[nodiscard]] PointKind kind_of(WorkPart part);
/// "gemm", "dgrad", ...
[[nodiscard]] std::string_view to_string(WorkPart part);

/// What a machine takes for all the work of a space: sums over its GEMMs, each as often as its
/// `repeat` says, or over its steps.
struct WorkFigures {
  double time_us = 0;
  /// The same work dense, on the same machine.
  double dense_time_us = 0;
  /// What the board draws for them; nothing where the machine file does not say, and of the parts
  /// of a step.
  std::optional<double> joules;
  std::optional<double> dense_joules;
  /// Of GEMMs: what each is bound by, with the share of the time, the largest first.
  std::vector<std::pair<std::string, double>> bound_by;
  /// Why GEMMs do not run with the pattern that is asked for; each once.
  std::vector<std::string> reasons;

  /// Dense time / time, on the same machine.
  [[nodiscard]] double speedup() const { return dense_time_us / time_us; }
  /// In the mean; nothing where there are no joules.
  [[nodiscard]] std::optional<double> watts() const;
};

/// @param points   of one machine, those of the part
/// @param figures  as a sweep stores them, one for each point
/// @throws ConfigError if the part takes no time: the space leaves its phase out
[[nodiscard]] WorkFigures work_figures(const std::vector<SweepPoint>& points,
                                       const std::vector<nlohmann::ordered_json>& figures,
                                       WorkPart part);

/// How many machines are simulated, and of how many at most.
using MachinesDone = std::function<void(std::size_t done, std::size_t most)>;

/// Simulates machines of a space with their work, as a sweep of the same space does and into the
/// same file: what either has simulated, the other finds.
class WorkRunner {
 public:
  /// Space and options must outlive it.
  /// @param results  the sweep's file, made when the first machine is simulated
  /// @param options  of the sweeps; `shard` is not used
  /// @param on_machines  called with the number of machines that are known, and of all; may be
  /// empty
  WorkRunner(const DesignSpace& space, WorkPart part, std::filesystem::path results,
             const SweepOptions& options, MachinesDone on_machines);

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

  const DesignSpace& space_;
  WorkPart part_;
  std::filesystem::path results_;
  std::optional<SweepStore> store_;
  const SweepOptions& options_;
  MachinesDone on_machines_;
  std::map<std::size_t, WorkFigures> known_;
};

}  // namespace stcsim
