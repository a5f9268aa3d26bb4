#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "common/gemm.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/kernel_policy.hpp"
#include "sim/run/result.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

/// A GEMM on a machine, as rows need it; several of them may need the same.
struct GemmPoint {
  std::string machine;
  GemmProblem problem;
  KernelPolicy policy;
  LaunchConditions conditions = {};

  friend auto operator<=>(const GemmPoint&, const GemmPoint&) = default;
};

struct PointOptions {
  /// Worker processes to run side by side.
  std::int64_t jobs = 1;
  bool fast_forward = true;
  /// Told after every point, with the points done so far.
  std::function<void(std::size_t)> progress;
};

/// Simulates every point once, in worker processes.
/// @param machines  by their names, those of all points
/// @throws SimulationError for the first point that fails
[[nodiscard]] std::map<GemmPoint, LaunchResult> run_points(
    const std::set<GemmPoint>& points, const std::map<std::string, const MachineConfig*>& machines,
    const PointOptions& options);

}  // namespace stcsim
