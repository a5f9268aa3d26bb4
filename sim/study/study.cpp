#include "sim/study/study.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "common/error.hpp"
#include "models/accelerator/statistic_names.hpp"
#include "sim/kernel/library.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/sustained_clock.hpp"
#include "sim/study/network_rows.hpp"
#include "sim/study/result_codec.hpp"
#include "sim/study/result_key.hpp"
#include "sim/study/run_store.hpp"
#include "sim/study/speedup_interval.hpp"
#include "sim/study/study_memory.hpp"
#include "sim/study/study_plan.hpp"
#include "sim/study/validated_errors.hpp"
#include "sim/study/worker_pool.hpp"

namespace stcsim {
namespace {

std::string describe(const StudyPoint& point) {
  if (!point.is_gemm) {
    return fmt::format("stream kernel reading {} and writing {} bytes", point.stream.read_bytes,
                       point.stream.write_bytes);
  }
  const GemmProblem& gemm = point.gemm;
  return fmt::format("GEMM {}x{}x{} x{} {} {}", gemm.m, gemm.n, gemm.k, gemm.batch_count,
                     to_string(gemm.dtype), gemm.a_pattern.to_string());
}

GemmRun run_checked(MachineRunner& runner, const StudyPoint& point, const KernelPolicy& policy) {
  FunctionalOptions options;
  options.prune = point.prune;
  LaunchConditions as_it_is;
  as_it_is.locked_clock_mhz = runner.machine().clock_mhz;
  const FunctionalRun functional =
      run_gemm_with_values(runner, point.gemm, policy, as_it_is, options);
  const FunctionalCheck& check = functional.check;
  if (check.mismatches > 0) {
    throw SimulationError(fmt::format("{} of {} elements of C are wrong, {}", check.mismatches,
                                      check.elements, check.first_mismatch));
  }
  return functional.run;
}

std::string simulate(MachineRunner& runner, const StudyPoint& point, const KernelPolicy& policy) {
  if (point.with_values) return encode(run_checked(runner, point, policy));
  if (point.is_gemm) return encode(run_gemm(runner, point.gemm, policy));
  return encode({run_stream(runner, point.stream), kDense, ""});
}

/// One machine's points at one clock: what is known of them, and which are left to simulate.
struct MachineStudy {
  MachineSpec machine;
  MachinePlan plan;
  std::optional<ResultKeys> keys;  // if results are kept
  PointResults results;
  std::vector<std::size_t> missing;

  [[nodiscard]] const StudyPoint& missing_point(std::int64_t job) const {
    return plan.points[missing[static_cast<std::size_t>(job)]];
  }
};

/// Runs points, machine by machine, and keeps the books of progress over all of them.
class StudyRunner {
 public:
  StudyRunner(const Experiment& experiment, const StudyOptions& options)
      : policy_(policy_of(experiment)), experiment_(experiment), options_(options) {
    for (const MachineSpec& machine : experiment.machines) {
      const double clock_mhz = experiment.clock_mhz.value_or(machine.config.clock_mhz);
      add_machine(experiment, machine, clock_mhz);
    }
  }

  StudyResult run() {
    const std::size_t machines = machines_.size();
    for (MachineStudy& machine : machines_) look_up(machine);
    if (progress_.points_done > 0) report();
    for (MachineStudy& machine : machines_) run_points(machine);
    for (std::size_t at = 0; at < machines; ++at) {
      for (const Network& network : experiment_.networks) collect(machines_[at], network);
    }
    std::sort(result_.failures.begin(), result_.failures.end());
    result_.resolved_config = experiment_.resolved_config;
    result_.config_hash = experiment_.config_hash;
    return std::move(result_);
  }

 private:
  MachineStudy& add_machine(const Experiment& experiment, const MachineSpec& machine,
                            double clock_mhz) {
    MachineStudy& study = machines_.emplace_back();
    study.machine = {machine.name, at_clock(machine.config, clock_mhz)};
    study.plan = plan_machine(experiment, study.machine);
    if (options_.store != nullptr) {
      study.keys.emplace(study.machine.config, policy_,
                         statistic_names(study.machine.config.accelerator));
    }
    return study;
  }

  /// Takes what is stored. The rest is to be simulated, the longest first, so that the workers end
  /// at about the same time.
  void look_up(MachineStudy& machine) {
    const std::vector<StudyPoint>& points = machine.plan.points;
    machine.results.resize(points.size());
    for (std::size_t at = 0; at < points.size(); ++at) {
      if (options_.store != nullptr) {
        machine.results[at] = options_.store->find(machine.keys->of(points[at]));
      }
      if (machine.results[at]) continue;
      machine.missing.push_back(at);
      progress_.work += estimated_work(points[at]);
    }
    progress_.points += static_cast<std::int64_t>(points.size());
    progress_.points_done += static_cast<std::int64_t>(points.size() - machine.missing.size());
    std::stable_sort(machine.missing.begin(), machine.missing.end(), [&](auto a, auto b) {
      return estimated_work(points[a]) > estimated_work(points[b]);
    });
  }

  void run_points(MachineStudy& machine) {
    WorkerPoolOptions pool;
    pool.workers = options_.jobs;
    pool.interrupted = options_.interrupted;
    pool.start_worker = [&] { return start_worker(machine); };
    pool.on_result = [&](std::int64_t job, const std::string& bytes) {
      keep(machine, job, decode(bytes));
    };
    pool.on_failure = [&](std::int64_t job, const std::string& why) {
      const StudyPoint& point = machine.missing_point(job);
      result_.failures.push_back(
          fmt::format("{} on {}: {}", describe(point), machine.machine.name, why));
      count(point);
    };
    if (!run_jobs(static_cast<std::int64_t>(machine.missing.size()), pool)) {
      throw StudyInterrupted();
    }
    for (std::size_t at = 0; at < machine.results.size(); ++at) {
      if (machine.results[at] && machine.plan.points[at].with_values) ++result_.checked_gemms;
    }
  }

  [[nodiscard]] Worker start_worker(const MachineStudy& machine) const {
    auto runner = std::make_shared<MachineRunner>(machine.machine.config);
    runner->set_fast_forward(options_.fast_forward);
    return [this, &machine, runner](std::int64_t job) {
      return simulate(*runner, machine.missing_point(job), policy_);
    };
  }

  void keep(MachineStudy& machine, std::int64_t job, GemmRun run) {
    const StudyPoint& point = machine.missing_point(job);
    if (options_.store != nullptr) options_.store->put(machine.keys->of(point), run);
    machine.results[machine.missing[static_cast<std::size_t>(job)]] = std::move(run);
    count(point);
  }

  void count(const StudyPoint& simulated) {
    ++progress_.points_done;
    progress_.work_done += estimated_work(simulated);
    report();
  }

  void report() const {
    if (options_.on_progress) options_.on_progress(progress_);
  }

  /// Takes the network's rows, from a run at a lower clock if the board cannot afford this one for
  /// the dense step.
  void collect(const MachineStudy& machine, const Network& network) {
    NetworkRows found = network_rows(experiment_, machine.plan, machine.results, network.name);
    if (!experiment_.clock_mhz) slow_down(machine, network, found);
    if (options_.errors != nullptr) {
      const TimeErrors errors = options_.errors->of(machine.machine.name, experiment_.dtype);
      add_intervals(found.totals, found.rows, found.shares, errors);
    }
    for (StudyTotal& total : found.totals) {
      total.stack = stack_of(machine.machine.config);
      add_memory(total, experiment_, machine.machine);
    }
    std::move(found.totals.begin(), found.totals.end(), std::back_inserter(result_.totals));
    std::move(found.rows.begin(), found.rows.end(), std::back_inserter(result_.rows));
  }

  /// Until the clock is what the board affords, which depends on it: DRAM has a clock of its own.
  void slow_down(const MachineStudy& machine, const Network& network, NetworkRows& found) {
    constexpr int kMostTries = 3;
    const MachineConfig& config = machine.machine.config;
    double clock_mhz = config.clock_mhz;
    for (int tries = 0; tries < kMostTries && found.dense_pass; ++tries) {
      const double affordable = sustained_clock_mhz(config, experiment_.dtype, *found.dense_pass);
      if (std::abs(affordable - clock_mhz) <= config.power.clock_step_mhz) return;
      clock_mhz = affordable;
      found = rerun(machine, network, clock_mhz);
    }
  }

  NetworkRows rerun(const MachineStudy& machine, const Network& network, double clock_mhz) {
    Experiment experiment = experiment_;
    experiment.networks = {network};
    MachineStudy& slower = add_machine(experiment, machine.machine, clock_mhz);
    look_up(slower);
    run_points(slower);
    return network_rows(experiment, slower.plan, slower.results, network.name);
  }

  /// "" where the experiment names a kernel.
  [[nodiscard]] std::string stack_of(const MachineConfig& machine) const {
    if (policy_.kernel != "auto") return "";
    return stcsim::describe(stack_named(machine, policy_.stack));
  }

  KernelPolicy policy_;
  const Experiment& experiment_;
  const StudyOptions& options_;
  std::deque<MachineStudy> machines_;  // plans point to their machines
  StudyProgress progress_;
  StudyResult result_;
};

}  // namespace

StudyResult run_study(const Experiment& experiment, const StudyOptions& options) {
  return StudyRunner(experiment, options).run();
}

}  // namespace stcsim
