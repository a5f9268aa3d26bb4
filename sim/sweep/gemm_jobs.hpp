#pragma once

#include <map>

#include "sim/job/job.hpp"
#include "sim/sweep/sweep_plan.hpp"

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

}  // namespace stcsim
