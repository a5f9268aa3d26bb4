#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/config/experiment.hpp"
#include "sim/run/launch_cache.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

class RunStore;
class ValidatedErrors;

/// How far a study is. Work is the estimated effort of what is not found in the store, in arbitrary
/// units.
struct StudyProgress {
  std::int64_t points_done = 0;
  std::int64_t points = 0;
  double work_done = 0;
  double work = 0;
};

struct StudyOptions {
  /// Worker processes, at least 1. Results do not depend on it.
  std::int64_t jobs = 1;
  /// Skip what recurs in a simulated kernel. Results do not depend on it.
  bool fast_forward = true;
  /// Where results are looked up first, and kept as soon as they are there; may be null. Results do
  /// not depend on it.
  RunStore* store = nullptr;
  /// What is known of launches: studies that follow each other may share it. Results do not depend
  /// on it.
  std::shared_ptr<LaunchCache> launches = std::make_shared<LaunchCache>();
  /// How far times are off, for the intervals of speedups; may be null: no intervals.
  const ValidatedErrors* errors = nullptr;
  /// Leave the rows out of the results: they take most of the memory.
  bool totals_only = false;
  /// Called in the calling process after every point; may be empty.
  std::function<void(const StudyProgress&)> on_progress;
  /// Asked regularly; when it returns true, workers are ended and run_study throws
  /// StudyInterrupted.
  std::function<bool()> interrupted;
};

/// The study was stopped by `interrupted`.
class StudyInterrupted : public std::runtime_error {
 public:
  /// @param kept  what remains of the work, and how it goes on
  explicit StudyInterrupted(const std::string& kept = "")
      : std::runtime_error(kept.empty() ? "interrupted" : "interrupted: " + kept) {}
};

/// Simulates every different GEMM and stream kernel of the experiment once, in worker processes,
/// and assembles rows and totals. Dense runs are always part of it as the baseline; the scheme
/// "dense" appears among the results only if the experiment names it. A point whose worker dies or
/// whose simulation fails is named in StudyResult::failures and its rows are left out.
[[nodiscard]] StudyResult run_study(const Experiment& experiment, const StudyOptions& options);

/// What became of one of several experiments.
struct StudyOutcome {
  StudyResult result;
  /// What run_study() would have thrown; null if there is a result.
  std::exception_ptr error;
};
using StudyDone = std::function<void(std::size_t experiment, StudyOutcome outcome)>;

/// The same of several experiments, each with the result that it has alone. What several ask for is
/// simulated once, and workers are busy with all of them.
/// @param on_done  called in this process for each experiment, in the order in which they end
void run_studies(const std::vector<Experiment>& experiments, const StudyOptions& options,
                 const StudyDone& on_done);

/// run_study(), and the same steps with the other software that users of these machines could have
/// run (MachineConfig::stacks_beside()): StudyTotal::beside. Where the experiment names a kernel,
/// or checks values, there is none.
[[nodiscard]] StudyResult run_study_with_spread(const Experiment& experiment,
                                                const StudyOptions& options);

}  // namespace stcsim
