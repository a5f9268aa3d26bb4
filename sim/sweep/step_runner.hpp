#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/study/study.hpp"
#include "sim/sweep/sweep_plan.hpp"
#include "sim/sweep/sweep_runs.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace stcsim {

struct StepRunnerOptions {
  /// Those of studies, but for the store, which is the sweep's file.
  StudyOptions study;
  /// Called for each point when it is done, with its figures, or when it has failed.
  std::function<void(std::size_t point, const nlohmann::ordered_json& figures)> on_done;
  std::function<void(std::size_t point, const std::string& why)> on_failure;
  /// Called whenever something is done, with the share of the points' work that is done.
  std::function<void(double share)> on_progress;
};

/// Simulates step points side by side (run_studies()), as many at a time as memory is spent on.
/// Points that differ in their schemes only share an experiment; where something of that fails,
/// each has its own.
/// @param steps  points of the plan
/// @return what was simulated for them
/// @throws StudyInterrupted
[[nodiscard]] RunCounts run_steps(const SweepPlan& plan, const std::vector<std::size_t>& steps,
                                  SweepStore& store, const StepRunnerOptions& options);

}  // namespace stcsim
