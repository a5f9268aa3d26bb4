#include "sim/study/point_worker.hpp"

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/sustained_clock.hpp"
#include "sim/study/result_codec.hpp"

namespace stcsim {
namespace {

GemmRun run_checked(MachineRunner& runner, const StudyPoint& point, const KernelPolicy& policy) {
  FunctionalOptions options;
  options.prune = point.prune;
  LaunchConditions as_it_is;
  const MachineConfig machine = runner.machine();
  as_it_is.locked_clock_mhz = machine.clock_mhz;
  FunctionalRun functional = run_gemm_with_values(runner, point.gemm, policy, as_it_is, options);
  const FunctionalCheck& check = functional.check;
  if (check.mismatches > 0) {
    throw SimulationError(fmt::format("{} of {} elements of C are wrong, {}", check.mismatches,
                                      check.elements, check.first_mismatch));
  }
  LaunchResult& result = functional.run.result;
  // as of a machine whose own clock this is: a result does not depend on how the runner came to it
  result.board_watts = board_watts(machine, point.gemm.dtype, result, machine.clock_mhz);
  return functional.run;
}

}  // namespace

std::string describe(const StudyPoint& point) {
  if (!point.is_gemm) {
    return fmt::format("stream kernel reading {} and writing {} bytes", point.stream.read_bytes,
                       point.stream.write_bytes);
  }
  const GemmProblem& gemm = point.gemm;
  return fmt::format("GEMM {}x{}x{} x{} {} {}", gemm.m, gemm.n, gemm.k, gemm.batch_count,
                     to_string(gemm.dtype), gemm.a_pattern.to_string());
}

GemmRun run_point(MachineRunner& runner, const StudyPoint& point, const KernelPolicy& policy) {
  if (point.with_values) return run_checked(runner, point, policy);
  if (point.is_gemm) return run_gemm(runner, point.gemm, policy);
  return {run_stream(runner, point.stream), kDense, ""};
}

std::string PointWorker::operator()(std::int64_t number) {
  const PointRun& job = *jobs_[static_cast<std::size_t>(number)];
  const StudyMachine& machine = *job.machine;
  if (runner_ == nullptr) {
    runner_ = std::make_shared<MachineRunner>(machine.as_built->config);
    runner_->set_fast_forward(fast_forward_);
    runner_->remember_launches(launches_);
  }
  runner_->set_clock(machine.spec.config.clock_mhz);
  return encode(run_point(*runner_, job.point, machine.policy));
}

}  // namespace stcsim
