#include "reports/validation/gemm_points.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/machine_runner.hpp"
#include "sim/study/result_codec.hpp"
#include "sim/study/worker_pool.hpp"

namespace stcsim {
namespace {

using Runners = std::map<std::string, std::unique_ptr<MachineRunner>>;

/// All machines are built before one of them runs.
std::shared_ptr<Runners> runners_of(const std::map<std::string, const MachineConfig*>& machines,
                                    bool fast_forward) {
  auto runners = std::make_shared<Runners>();
  for (const auto& [name, machine] : machines) {
    auto& runner = (*runners)[name];
    runner = std::make_unique<MachineRunner>(*machine);
    runner->set_fast_forward(fast_forward);
  }
  return runners;
}

GemmRun run_point(Runners& runners, const GemmPoint& point) {
  return run_gemm_sustained(*runners.at(point.machine), point.problem, point.policy,
                            point.conditions);
}

}  // namespace

std::map<GemmPoint, LaunchResult> run_points(
    const std::set<GemmPoint>& points, const std::map<std::string, const MachineConfig*>& machines,
    const PointOptions& options) {
  const std::vector<GemmPoint> jobs(points.begin(), points.end());
  const auto job_of = [&](std::int64_t job) -> const GemmPoint& {
    return jobs[static_cast<std::size_t>(job)];
  };
  std::map<GemmPoint, LaunchResult> results;
  WorkerPoolOptions pool;
  pool.workers = options.jobs;
  pool.start_worker = [&]() -> Worker {
    auto runners = runners_of(machines, options.fast_forward);
    return [&, runners](std::int64_t job) { return encode(run_point(*runners, job_of(job))); };
  };
  pool.on_result = [&](std::int64_t job, const std::string& bytes) {
    results.emplace(job_of(job), decode(bytes).result);
    if (options.progress) options.progress(results.size());
  };
  pool.on_failure = [&](std::int64_t job, const std::string& why) {
    const GemmProblem& problem = job_of(job).problem;
    throw SimulationError(fmt::format("GEMM {}x{}x{} on {}: {}", problem.m, problem.n, problem.k,
                                      job_of(job).machine, why));
  };
  run_jobs(std::ssize(jobs), pool);
  return results;
}

}  // namespace stcsim
