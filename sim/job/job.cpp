#include "sim/job/job.hpp"

#include <optional>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/job/job_key.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim {
namespace {

constexpr double kLeastWork = 5000;

/// One operator for each kind of work, so that a new one does not compile without.
struct Description {
  std::string operator()(const GemmWork& work) const {
    const GemmProblem& gemm = work.problem;
    return fmt::format("GEMM {}x{}x{} x{} {} {}", gemm.m, gemm.n, gemm.k, gemm.batch_count,
                       to_string(gemm.dtype), gemm.a_pattern.to_string());
  }
  std::string operator()(const StreamWork& work) const {
    return fmt::format("stream kernel reading {} and writing {} bytes", work.read_bytes,
                       work.write_bytes);
  }
  std::string operator()(const LaunchSequence& work) const {
    return fmt::format("{} launches", work.launches.size());
  }
  std::string operator()(const AttentionWork& work) const {
    const AttentionShape& shape = work.shape;
    return fmt::format("attention {} of {} x {} heads, {} queries, {} keys, head size {}",
                       work.backward ? "backward" : "forward", shape.batch, shape.heads,
                       shape.queries, shape.keys, shape.head_size);
  }
};

struct Effort {
  double operator()(const GemmWork& work) const {
    constexpr double kMacsPerEvent = 20000.0;
    constexpr double kMacsPerEventWithValues = 300.0;
    return static_cast<double>(work.problem.macs()) /
           (work.with_values ? kMacsPerEventWithValues : kMacsPerEvent);
  }
  double operator()(const StreamWork& work) const {
    constexpr double kBytesPerEvent = 2000.0;
    return static_cast<double>(work.read_bytes + work.write_bytes) / kBytesPerEvent;
  }
  double operator()(const LaunchSequence&) const { return 0; }
  double operator()(const AttentionWork& work) const {
    constexpr double kMacsPerEvent = 100000.0;
    return static_cast<double>(work.macs()) / kMacsPerEvent;
  }
};

GemmRun run_checked(MachineRunner& runner, const GemmWork& work, const KernelPolicy& policy) {
  FunctionalOptions options;
  options.prune = work.prune;
  LaunchConditions as_it_is;
  const MachineConfig machine = runner.machine();
  as_it_is.locked_clock_mhz = machine.clock_mhz;
  FunctionalRun functional = run_gemm_with_values(runner, work.problem, policy, as_it_is, options);
  const FunctionalCheck& check = functional.check;
  if (check.mismatches > 0) {
    throw SimulationError(fmt::format("{} of {} elements of C are wrong, {}", check.mismatches,
                                      check.elements, check.first_mismatch));
  }
  LaunchResult& result = functional.run.result;
  // as of a machine whose own clock this is: a result does not depend on how the runner came to it
  result.board_watts = board_watts(machine, work.problem.dtype, result, machine.clock_mhz);
  return functional.run;
}

struct Simulation {
  MachineRunner& runner;
  const Job& job;

  GemmRun operator()(const GemmWork& work) const {
    if (work.with_values) return run_checked(runner, work, job.policy);
    if (!job.conditions) return run_gemm(runner, work.problem, job.policy);
    return run_gemm_sustained(runner, work.problem, job.policy, *job.conditions);
  }
  GemmRun operator()(const StreamWork& work) const { return {run_stream(runner, work)}; }
  GemmRun operator()(const AttentionWork& work) const { return {run_attention(runner, work)}; }
  GemmRun operator()(const LaunchSequence& work) const {
    runner.set_sampling(std::nullopt);
    LaunchResult sum = to_result(runner.run(work.launches.front()));
    for (std::size_t at = 1; at < work.launches.size(); ++at) {
      append_launch(sum, runner.run(work.launches[at]));
    }
    sum.clock_mhz = runner.machine().clock_mhz;
    return {sum};
  }
};

}  // namespace

std::string describe(const Work& work) {
  return std::visit(Description(), work);
}

double estimated_work(const Work& work) {
  return kLeastWork + std::visit(Effort(), work);
}

const JobMachine& JobMachines::of(const MachineConfig& machine) {
  const auto [known, is_new] = machines_.try_emplace(&machine);
  if (is_new) known->second = {&machine, machine.clock_mhz, machine_digests(machine, "")};
  return known->second;
}

GemmRun run_job(MachineRunner& runner, const Job& job) {
  if (!job.conditions) runner.set_clock(job.machine->clock_mhz);
  return std::visit(Simulation{runner, job}, job.work);
}

}  // namespace stcsim
