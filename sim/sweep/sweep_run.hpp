#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "sim/job/job.hpp"
#include "sim/study/study.hpp"
#include "sim/sweep/sweep_plan.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace stcsim {

/// The GEMMs of GEMM points as jobs. No machine of the process may have run before.
class GemmJobs {
 public:
  /// A point's own GEMM and the dense one beside it; of a dense point the same.
  struct Pair {
    Job own;
    Job dense;
  };
  /// @param point  must outlive the jobs, and so must this object
  [[nodiscard]] Pair of(const SweepPoint& point);

 private:
  std::map<const SweepMachine*, JobMachine> machines_;
};

/// One of `count` equal parts of a sweep, from 1.
struct Shard {
  std::int64_t index = 1;
  std::int64_t count = 1;

  friend bool operator==(const Shard&, const Shard&) = default;
};

/// The points of a shard, by their place in the plan: of GEMM points and of step points an equal
/// share each, neighbours, so that they share machines.
[[nodiscard]] std::vector<std::size_t> points_of(const Shard& shard, const SweepPlan& plan);

/// What run_sweep() would do.
struct SweepForecast {
  std::int64_t gemm_points = 0;
  std::int64_t step_points = 0;
  std::int64_t machines = 0;
  /// Points that are neither done nor have failed.
  std::int64_t points_left = 0;
  /// Different GEMMs to simulate for GEMM points that are not done.
  std::int64_t gemms = 0;
};
/// @param store  what is there already; may be null
[[nodiscard]] SweepForecast forecast(const SweepPlan& plan, const SweepStore* store,
                                     const Shard& shard);

struct SweepOptions {
  /// Worker processes, at least 1. Results do not depend on it.
  std::int64_t jobs = 1;
  /// Skip what recurs in a simulated kernel. Results do not depend on it.
  bool fast_forward = true;
  /// Simulate points again that have failed.
  bool retry_failed = false;
  Shard shard;
  /// What is known of launches: sweeps that follow each other may share it. Results do not depend
  /// on it.
  std::shared_ptr<LaunchCache> launches = std::make_shared<LaunchCache>();
  /// Called in the calling process whenever something is done; may be empty.
  std::function<void(const StudyProgress&)> on_progress;
  /// Asked regularly; when it returns true, workers are ended and run_sweep throws
  /// StudyInterrupted.
  std::function<bool()> interrupted;
};

struct SweepOutcome {
  /// Of the shard; those that were there before, done and failed; those done and failed now.
  std::int64_t points = 0;
  std::int64_t found = 0;
  std::int64_t found_failed = 0;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  /// GEMMs that were simulated for GEMM points, and those whose results were there.
  std::int64_t simulated_gemms = 0;
  std::int64_t found_gemms = 0;
  /// The same of the GEMMs and stream kernels of step points.
  std::int64_t simulated_step_runs = 0;
  std::int64_t found_step_runs = 0;
};

/// Simulates the points that `store` lacks, and puts each there as soon as it is done. Equal GEMMs
/// are simulated once, whatever they are part of, and so are those whose machines differ only in
/// what the GEMM cannot notice (job_key.hpp).
[[nodiscard]] SweepOutcome run_sweep(const SweepPlan& plan, SweepStore& store,
                                     const SweepOptions& options);

}  // namespace stcsim
