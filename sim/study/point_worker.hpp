#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/run/machine_runner.hpp"
#include "sim/study/point_runs.hpp"

namespace stcsim {

/// "GEMM 64x64x32 x1 fp16 2:4", or what a stream kernel moves.
[[nodiscard]] std::string describe(const StudyPoint& point);

/// Simulates a point at the runner's clock.
/// @throws SimulationError  if it was run with values and C is not what the reference computes
[[nodiscard]] GemmRun run_point(MachineRunner& runner, const StudyPoint& point,
                                const KernelPolicy& policy);

/// Simulates points in a worker process (worker_pool.hpp). The process has one machine, built when
/// the first job comes; the clock is each job's own.
class PointWorker {
 public:
  /// @param jobs      of one group of machines; must outlive the worker
  /// @param launches  shared with other workers
  PointWorker(const std::vector<PointRun*>& jobs, bool fast_forward,
              std::shared_ptr<LaunchCache> launches)
      : jobs_(jobs), fast_forward_(fast_forward), launches_(std::move(launches)) {}

  /// @return the encoded run (result_codec.hpp)
  [[nodiscard]] std::string operator()(std::int64_t number);

 private:
  const std::vector<PointRun*>& jobs_;
  bool fast_forward_;
  std::shared_ptr<LaunchCache> launches_;
  std::shared_ptr<MachineRunner> runner_;
};

}  // namespace stcsim
