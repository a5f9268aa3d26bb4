#include "sim/explain/experiment.hpp"

#include <cmath>
#include <memory>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/run/operand_actions.hpp"
#include "sim/run/sustained_clock.hpp"
#include "sim/study/worker_pool.hpp"

namespace stcsim {
namespace {

std::int64_t cycles_of(MachineRunner& runner, const Run& run) {
  std::int64_t cycles = runner.run(run.launch).cycles.count();
  if (run.reduces) {
    cycles +=
        runner.run(reduction_launch(run.machine, run.problem, run.launch.splits)).cycles.count();
  }
  return cycles;
}

/// A launch with what power depends on.
LaunchResult measure(MachineRunner& runner, const Run& run) {
  LaunchResult result = to_result(runner.run(run.launch));
  const MmaInstruction& one = *run.launch.warp.instruction;
  result.multiplier_macs =
      result.mma_instructions * (one.m * one.n * one.k * one.pattern.n / one.pattern.m);
  result.actions =
      actions_of(one, run.machine.accelerator.sm.operand_fetch, result.mma_instructions);
  if (run.reduces) {
    append_launch(result,
                  runner.run(reduction_launch(run.machine, run.problem, run.launch.splits)));
  }
  return result;
}

/// Cycles depend on the clock, for DRAM has its own, but little: a few tries find it.
double sustained_clock(MachineRunner& runner, const Run& run, OperandValues values) {
  constexpr int kMostTries = 4;
  double clock_mhz = run.machine.clock_mhz;
  for (int tries = 0; tries < kMostTries; ++tries) {
    runner.set_clock(clock_mhz);
    const double affordable = sustained_clock_mhz(run.machine, run.problem.dtype,
                                                  measure(runner, run), {.values = values});
    if (affordable == clock_mhz) break;
    clock_mhz = affordable;
  }
  runner.set_clock(run.machine.clock_mhz);
  return clock_mhz;
}

/// The place of the fastest candidate, and its cycles; they travel as cycles.
CyclesOfBoth fastest(const MachineConfig& machine, const GemmProblem& problem,
                     const std::vector<KernelCandidate>& candidates) {
  MachineRunner runner(machine);
  CyclesOfBoth best;
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    const KernelLaunch& launch = candidates[at].launch;
    const std::int64_t cycles = cycles_of(runner, {machine, launch, problem, launch.splits > 1});
    if (at > 0 && cycles >= best.sparse) continue;
    best = {static_cast<std::int64_t>(at), cycles};
  }
  return best;
}

}  // namespace

CyclesOfBoth simulate(const RunsOfBoth& both) {
  // Of a process, all machines are built before one of them runs.
  MachineRunner sparse(both.sparse.machine);
  std::unique_ptr<MachineRunner> other;
  if (both.dense.machine != both.sparse.machine) {
    other = std::make_unique<MachineRunner>(both.dense.machine);
  }
  MachineRunner& dense = other ? *other : sparse;
  const bool is_one = both.dense.launch == both.sparse.launch && !other;
  const std::int64_t cycles = cycles_of(sparse, both.sparse);
  return {is_one ? cycles : cycles_of(dense, both.dense), cycles};
}

ClocksOfBoth sustained_clocks(const RunsOfBoth& both, OperandValues values) {
  const double own_mhz = both.sparse.machine.clock_mhz;
  if (both.sparse.machine.power.limit_watts <= 0) return {own_mhz, own_mhz};
  // Clocks travel as cycles: kHz.
  constexpr double kKilohertz = 1000;
  const auto found = run_all(1, 1, [&](std::size_t) {
    MachineRunner runner(both.sparse.machine);
    const auto khz = [&](const Run& run) {
      return std::llround(sustained_clock(runner, run, values) * kKilohertz);
    };
    return CyclesOfBoth{khz(both.dense), khz(both.sparse)};
  });
  return {static_cast<double>(found.front().dense) / kKilohertz,
          static_cast<double>(found.front().sparse) / kKilohertz};
}

std::vector<CyclesOfBoth> run_all(std::size_t count, std::int64_t jobs,
                                  const std::function<CyclesOfBoth(std::size_t)>& experiment) {
  std::vector<CyclesOfBoth> all(count);
  std::string failure;
  WorkerPoolOptions pool;
  pool.workers = jobs;
  pool.one_job_each = true;
  pool.start_worker = [&] {
    return [&](std::int64_t at) {
      const CyclesOfBoth cycles = experiment(static_cast<std::size_t>(at));
      return fmt::format("{} {}", cycles.dense, cycles.sparse);
    };
  };
  pool.on_result = [&](std::int64_t at, const std::string& text) {
    CyclesOfBoth& cycles = all[static_cast<std::size_t>(at)];
    std::istringstream(text) >> cycles.dense >> cycles.sparse;
  };
  pool.on_failure = [&](std::int64_t, const std::string& why) { failure = why; };
  run_jobs(static_cast<std::int64_t>(count), pool);
  if (!failure.empty()) throw SimulationError(failure);
  return all;
}

ChosenKernel choose_kernel(const MachineConfig& machine, const GemmProblem& problem,
                           const KernelPolicy& policy, bool examines) {
  require_runnable(machine, problem);
  const GemmKernels kernels = gemm_kernels(machine, problem, policy);
  const auto& candidates = kernels.ranking.candidates;
  const bool is_examined = examines && kernels.ranking.is_search;
  if (candidates.size() == 1 && !is_examined) return {candidates.front()};
  // In another process: this one has to stay free of simulations.
  const CyclesOfBoth best =
      run_all(1, 1, [&](std::size_t) { return fastest(machine, problem, candidates); }).front();
  ChosenKernel chosen{candidates[static_cast<std::size_t>(best.dense)]};
  if (!is_examined) return chosen;
  std::vector<KernelLaunch> simulated;
  for (const KernelCandidate& one : candidates) simulated.push_back(one.launch);
  chosen.search = examine_search(machine, problem, kernels.hardware, policy, kernels.ranking,
                                 {chosen.kernel, best.sparse, simulated});
  return chosen;
}

}  // namespace stcsim
