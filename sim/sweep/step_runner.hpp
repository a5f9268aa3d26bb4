#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/job/result_store.hpp"
#include "sim/sweep/sweep_run.hpp"

namespace stcsim {

/// Answers of jobs in a sweep's file, counted: different GEMMs and stream kernels.
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

/// Where points go that have ended: into the sweep's file, and what is known of how far it is.
class PointKeeper {
 public:
  /// All must outlive it.
  PointKeeper(const SweepPlan& plan, SweepStore& store, const SweepOptions& options)
      : plan_(plan), store_(store), options_(options) {}

  void keep(std::size_t point, const nlohmann::ordered_json& figures);
  void keep_failure(std::size_t point, const std::string& why);
  void report() const {
    if (options_.study.on_progress) options_.study.on_progress(progress);
  }

  StudyProgress progress;
  SweepOutcome outcome;

 private:
  const SweepPlan& plan_;
  SweepStore& store_;
  const SweepOptions& options_;
};

/// Effort of a step, in GEMMs of GEMM points, which take about as long as each other whatever their
/// size: what recurs in them is skipped.
inline constexpr double kStepWork = 100;

/// Simulates step points side by side (run_studies()), as many at a time as memory is spent on.
/// Points that differ in their schemes only share an experiment; where something of that fails,
/// each has its own.
/// @param steps  points of the plan
/// @throws StudyInterrupted
void run_steps(const SweepPlan& plan, const std::vector<std::size_t>& steps, StudyOptions study,
               SweepStore& store, PointKeeper& points);

}  // namespace stcsim
