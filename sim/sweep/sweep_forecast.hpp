#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/job/job.hpp"
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

}  // namespace stcsim
