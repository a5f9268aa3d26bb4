#include "sim/explain/experiment.hpp"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/sustained_clock.hpp"
#include "sim/study/result_codec.hpp"
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

/// The answers of jobs in processes of their own.
std::vector<std::string> answers(std::size_t count, std::int64_t jobs,
                                 const std::function<std::string(std::size_t)>& job) {
  std::vector<std::string> all(count);
  std::string failure;
  WorkerPoolOptions pool;
  pool.workers = jobs;
  pool.one_job_each = true;
  pool.start_worker = [&] {
    return [&](std::int64_t at) { return job(static_cast<std::size_t>(at)); };
  };
  pool.on_result = [&](std::int64_t at, std::string answer) {
    all[static_cast<std::size_t>(at)] = std::move(answer);
  };
  pool.on_failure = [&](std::int64_t, const std::string& why) { failure = why; };
  run_jobs(static_cast<std::int64_t>(count), pool);
  if (!failure.empty()) throw SimulationError(failure);
  return all;
}

std::size_t place_of(const KernelCandidate& kernel, const std::vector<KernelCandidate>& among) {
  const auto at = std::find_if(among.begin(), among.end(), [&](const KernelCandidate& one) {
    return one.launch == kernel.launch;
  });
  return static_cast<std::size_t>(at - among.begin());
}

}  // namespace

TimesOfBoth simulate(const RunsOfBoth& both) {
  // Of a process, all machines are built before one of them runs.
  MachineRunner sparse(both.sparse.machine);
  std::unique_ptr<MachineRunner> other;
  if (both.dense.machine != both.sparse.machine) {
    other = std::make_unique<MachineRunner>(both.dense.machine);
  }
  MachineRunner& dense = other ? *other : sparse;
  const bool is_one = both.dense.launch == both.sparse.launch && !other;
  const std::int64_t cycles = cycles_of(sparse, both.sparse);
  return {{is_one ? cycles : cycles_of(dense, both.dense), both.dense.machine.clock_mhz},
          {cycles, both.sparse.machine.clock_mhz}};
}

std::vector<TimesOfBoth> run_all(std::size_t count, std::int64_t jobs,
                                 const std::function<TimesOfBoth(std::size_t)>& variant) {
  std::vector<TimesOfBoth> all;
  const auto simulate_one = [&](std::size_t at) {
    const auto& [dense, sparse] = variant(at);
    return fmt::format("{} {} {} {}", dense.cycles, dense.clock_mhz, sparse.cycles,
                       sparse.clock_mhz);
  };
  for (const std::string& answer : answers(count, jobs, simulate_one)) {
    auto& [dense, sparse] = all.emplace_back();
    std::istringstream(answer) >> dense.cycles >> dense.clock_mhz >> sparse.cycles >>
        sparse.clock_mhz;
  }
  return all;
}

ChosenKernel choose_kernel(const MachineConfig& machine, const GemmProblem& problem,
                           const KernelPolicy& policy, const LaunchConditions& conditions) {
  require_runnable(machine, problem);
  const MachineConfig first = at_clock(
      machine, conditions.locked_clock_mhz.value_or(machine.clock_mhz), conditions.launch_us);
  const auto candidates = gemm_kernels(first, problem, policy, conditions).ranking.candidates;
  const auto choose = [&](std::size_t) {
    MachineRunner runner(machine);
    const KernelRun fastest = run_fastest_kernel(runner, problem, policy, conditions);
    return fmt::format("{} {}", place_of(fastest.kernel, candidates), encode(fastest.run));
  };
  const std::string answer = answers(1, 1, choose).front();
  const std::size_t space = answer.find(' ');
  const GemmRun run = decode(answer.substr(space + 1));
  return {candidates.at(std::stoul(answer.substr(0, space))), run.search, run.result.clock_mhz};
}

}  // namespace stcsim
