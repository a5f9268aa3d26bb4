#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/job/job.hpp"
#include "sim/study/study.hpp"
#include "sim/sweep/sweep_plan.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace stcsim {

/// The GEMMs of GEMM points as jobs. No machine of the process may have run before.
class GemmJobs {
 public:
  /// A point's own GEMM and the dense one beside it; of a dense point the same.
  /// @param point  must outlive the jobs, and so must this object
  [[nodiscard]] std::pair<Job, Job> of(const SweepPoint& point);

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
  /// As those of studies. The store is the sweep's file.
  StudyOptions study;
  /// Simulate points again that have failed.
  bool retry_failed = false;
  Shard shard;
};

/// Jobs that were simulated for points, and those whose answers were there before.
struct RunCounts {
  std::int64_t simulated = 0;
  std::int64_t found = 0;
};

struct SweepOutcome {
  /// Of the shard; those that were there before, done and failed; those done and failed now.
  std::int64_t points = 0;
  std::int64_t found = 0;
  std::int64_t found_failed = 0;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  /// The GEMMs of GEMM points, and the GEMMs and stream kernels of step points.
  RunCounts of_gemms;
  RunCounts of_steps;
};

/// Simulates the points that `store` lacks, and puts each there as soon as it is done. Equal GEMMs
/// are simulated once, whatever they are part of, and so are those whose machines differ only in
/// what the GEMM cannot notice (job_key.hpp).
[[nodiscard]] SweepOutcome run_sweep(const SweepPlan& plan, SweepStore& store,
                                     const SweepOptions& options);

/// The figures that a point has in the file.
/// @throws SimulationError that names the point if it failed, or was not simulated
[[nodiscard]] nlohmann::ordered_json stored_figures(const SweepStore& store,
                                                    const SweepPoint& point);

/// The figures of a GEMM point, a JSON object: the GEMM, its cycles, clock and watts and those of
/// the dense GEMM beside it, the kernel, what it is bound by, and every counter of the machine.
/// Where the point runs sparse only where that is faster, the dense one is what runs unless the
/// gain exceeds 1 + gain_error.
/// @param sparse, dense  of a dense point the same
[[nodiscard]] nlohmann::ordered_json gemm_point_figures(const SweepPoint& point,
                                                        const GemmRun& sparse, const GemmRun& dense,
                                                        double gain_error);

/// The figures of a step point: the totals of its scheme, beside those of the dense step, which
/// are the study's first.
/// @throws SimulationError if something of the study could not be simulated
[[nodiscard]] nlohmann::ordered_json step_point_figures(const StudyResult& study,
                                                        const std::string& scheme);

}  // namespace stcsim
