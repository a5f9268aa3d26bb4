#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/design/design_question.hpp"
#include "sim/sweep/sweep_plan.hpp"

namespace stcsim {

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

/// The kind of points that a part of the work is of.
[[nodiscard]] PointKind kind_of(WorkPart part);
/// "gemm", "dgrad", ...
[[nodiscard]] const char* name_of(WorkPart part);

}  // namespace stcsim
