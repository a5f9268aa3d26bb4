#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/job/result_store.hpp"
#include "sim/study/study.hpp"
#include "sim/sweep/sweep_plan.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace stcsim {

/// What was simulated for points: different GEMMs and stream kernels, and those whose answers were
/// there before.
struct RunCounts {
  std::int64_t simulated = 0;
  std::int64_t found = 0;
};

/// Answers of jobs in a sweep's file, counted.
class SweepRuns final : public RunStore {
 public:
  /// @param store  must outlive it
  explicit SweepRuns(SweepStore& store) : store_(store) {}

  [[nodiscard]] std::optional<std::string> find(const std::string& key) override {
    std::optional<std::string> answer = store_.find_run(key);
    if (answer && simulated_.count(key) == 0) found_.insert(key);
    return answer;
  }
  void put(const std::string& key, const std::string& answer) override {
    store_.put_run(key, answer);
    simulated_.insert(key);
  }

  [[nodiscard]] RunCounts counts() const {
    return {static_cast<std::int64_t>(simulated_.size()), static_cast<std::int64_t>(found_.size())};
  }

 private:
  SweepStore& store_;
  std::unordered_set<std::string> simulated_;
  std::unordered_set<std::string> found_;
};

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
