#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/design/machine_search.hpp"

namespace stcsim {

/// What of a space's work counts: its GEMMs, or of its steps the whole, all GEMMs, or those of a
/// phase.
enum class WorkPart : std::uint8_t { gemm, step, gemms, forward, dgrad, wgrad };

/// A speedup that machines must reach.
struct SpeedupGoal {
  /// A factor, or with `is_share` a share of m/n.
  double value = 1;
  bool is_share = false;
};

/// What machines must not exceed: "area", "watts", "dram_gb_per_s", a resource, or the ending of a
/// key that grows.
using Budget = std::pair<std::string, double>;

/// The fastest machine is the cheapest of those that are slower than the fastest by no more.
inline constexpr double kAsFast = 0.01;

/// What is asked of a space of machines: without a goal the fastest within the budgets, else the
/// one that reaches it with the least of something.
struct DesignQuestion {
  std::optional<SpeedupGoal> at_least;
  /// "area", or what a budget can name.
  std::string least = "area";
  std::vector<Budget> budgets;
  /// Without: on the same machine if there is a goal, else on the base machine.
  std::optional<Against> against;
  /// Without: the GEMMs of a space that has no networks, else the step.
  std::optional<WorkPart> of;
  /// Look at every machine.
  bool is_exhaustive = false;
  /// SearchProblem::slack.
  double slack = 0.01;
};

}  // namespace stcsim
