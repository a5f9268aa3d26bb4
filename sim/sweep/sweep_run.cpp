#include "sim/sweep/sweep_run.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/io/catalog.hpp"
#include "models/accelerator/accelerator.hpp"
#include "sim/job/job_key.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/study/validated_errors.hpp"
#include "sim/sweep/gemm_figures.hpp"
#include "sim/sweep/step_runner.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// Effort of a step, in GEMMs of GEMM points, which take about as long as each other whatever their
/// size: what recurs in them is skipped.
constexpr double kStepWork = 100;

std::string axes_of(const SweepPoint& point) {
  ordered_json axes = ordered_json::object();
  for (const auto& [name, label] : point.values) axes[name] = label;
  return axes.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

class SweepRunner {
 public:
  SweepRunner(const SweepPlan& plan, SweepStore& store, const SweepOptions& options)
      : plan_(plan),
        store_(store),
        options_(options),
        runs_(store),
        jobs_({options.jobs, options.fast_forward, options.launches, options.interrupted}, &runs_) {
  }

  SweepOutcome run() {
    find_points();
    settle_found();
    report();
    run_gemms();
    run_steps();
    return outcome_;
  }

 private:
  /// A GEMM point, its GEMMs, and what is known of them.
  struct OpenPoint {
    const AskedJob* own = nullptr;
    const AskedJob* dense = nullptr;
    std::shared_ptr<const GemmRun> own_run = {};
    std::shared_ptr<const GemmRun> dense_run = {};
  };

  void find_points() {
    const auto done = store_.point_keys();
    const auto failed =
        options_.retry_failed ? std::unordered_set<std::string>() : store_.failure_keys();
    const std::vector<std::size_t> points = points_of(options_.shard, plan_);
    outcome_.points = static_cast<std::int64_t>(points.size());
    for (const std::size_t at : points) {
      const SweepPoint& point = plan_.points[at];
      if (done.count(point.key) > 0) {
        ++outcome_.found;
      } else if (failed.count(point.key) > 0) {
        ++outcome_.found_failed;
      } else if (point.kind == PointKind::gemm) {
        const auto [own, dense] = gemm_jobs_.of(point);
        open_[at] = {await(own, at), await(dense, at)};
      } else {
        steps_.push_back(at);
        progress_.work += kStepWork;
      }
    }
    progress_.points = outcome_.points;
    progress_.points_done = outcome_.found + outcome_.found_failed;
  }

  AskedJob* await(const Job& gemm, std::size_t point) {
    const auto [job, is_missing] = jobs_.ask(gemm);
    if (is_missing) ++progress_.work;
    std::vector<std::size_t>& points = waiting_[job];
    if (points.empty() && !is_missing) found_.push_back(job);
    if (points.empty() || points.back() != point) points.push_back(point);
    return job;
  }

  void settle_found() {
    for (AskedJob* const job : std::exchange(found_, {})) settle(*job);
  }

  void run_gemms() {
    const auto on_end = [this](AskedJob& job) {
      ++progress_.work_done;
      settle(job);
    };
    if (!jobs_.run(on_end)) throw StudyInterrupted();
    outcome_.simulated_gemms = runs_.counts().simulated;
    outcome_.found_gemms = runs_.counts().found;
  }

  /// A job that has ended.
  void settle(AskedJob& job) {
    const std::shared_ptr<const GemmRun> run = job.answer();
    job.bytes = {};
    for (const std::size_t number : std::exchange(waiting_[&job], {})) {
      const auto open = open_.find(number);
      if (open == open_.end()) continue;
      if (open->second.own == &job) open->second.own_run = run;
      if (open->second.dense == &job) open->second.dense_run = run;
      if (!job.failure.empty()) {
        keep_failure(plan_.points[number], job.failure);
      } else if (!keep_if_done(plan_.points[number], open->second)) {
        continue;
      }
      open_.erase(open);
    }
  }

  bool keep_if_done(const SweepPoint& point, const OpenPoint& open) {
    if (!open.own_run || !open.dense_run) return false;
    const double gain_error =
        errors_ ? errors_->of(point.machine->spec.name, point.gemm.dtype, "").gain.mean() : 0.0;
    keep(point, gemm_point_figures(point, *open.own_run, *open.dense_run, gain_error));
    return true;
  }

  void run_steps() {
    StepRunnerOptions options;
    options.study.jobs = options_.jobs;
    options.study.fast_forward = options_.fast_forward;
    options.study.launches = options_.launches;
    options.study.interrupted = options_.interrupted;
    options.study.errors = errors_ ? &*errors_ : nullptr;
    const double before = progress_.work_done;
    options.on_progress = [&](double share) {
      progress_.work_done = before + share * kStepWork * static_cast<double>(steps_.size());
      report();
    };
    options.on_done = [&](std::size_t step, const ordered_json& figures) {
      keep(plan_.points[step], figures);
    };
    options.on_failure = [&](std::size_t step, const std::string& why) {
      keep_failure(plan_.points[step], why);
    };
    const RunCounts counts = stcsim::run_steps(plan_, steps_, store_, options);
    outcome_.simulated_step_runs = counts.simulated;
    outcome_.found_step_runs = counts.found;
  }

  void keep(const SweepPoint& point, const ordered_json& figures) {
    store_.put_point(point.key, {axes_of(point), figures.dump()});
    ++outcome_.done;
    ++progress_.points_done;
    report();
  }

  void keep_failure(const SweepPoint& point, const std::string& why) {
    store_.put_failure(point.key, {axes_of(point), why});
    ++outcome_.failed;
    ++progress_.points_done;
    report();
  }

  void report() const {
    if (options_.on_progress) options_.on_progress(progress_);
  }

  const SweepPlan& plan_;
  SweepStore& store_;
  const SweepOptions& options_;
  const std::optional<ValidatedErrors> errors_ =
      ValidatedErrors::load(config_directory() / "validation");
  SweepRuns runs_;
  JobRunner jobs_;
  GemmJobs gemm_jobs_;
  std::unordered_map<const AskedJob*, std::vector<std::size_t>> waiting_;
  std::vector<AskedJob*> found_;
  std::unordered_map<std::size_t, OpenPoint> open_;
  std::vector<std::size_t> steps_;
  StudyProgress progress_;
  SweepOutcome outcome_;
};

}  // namespace

GemmJobs::Pair GemmJobs::of(const SweepPoint& point) {
  const MachineConfig& config = point.machine->spec.config;
  const auto [machine, is_new] = machines_.try_emplace(point.machine.get());
  if (is_new) {
    machine->second = {&config, config.clock_mhz,
                       machine_digests(config, statistic_names(config.accelerator))};
  }
  LaunchConditions conditions;
  conditions.locked_clock_mhz = point.clock_mhz;
  const Job own{&machine->second, GemmWork{point.gemm}, point.policy, conditions};
  if (point.gemm.a_pattern.is_dense()) return {own, own};
  return {own,
          {own.machine, GemmWork{dense_of(point.gemm)}, policy_of_dense(point.policy), conditions}};
}

std::vector<std::size_t> points_of(const Shard& shard, const SweepPlan& plan) {
  const auto is_gemm = [](const SweepPoint& point) { return point.kind == PointKind::gemm; };
  const auto gemms =
      static_cast<std::size_t>(std::count_if(plan.points.begin(), plan.points.end(), is_gemm));
  const auto index = static_cast<std::size_t>(shard.index);
  const auto count = static_cast<std::size_t>(shard.count);
  std::vector<std::size_t> points;
  const auto add_share = [&](std::size_t first, std::size_t of) {
    for (std::size_t at = of * (index - 1) / count; at < of * index / count; ++at) {
      points.push_back(first + at);
    }
  };
  add_share(0, gemms);
  add_share(gemms, plan.points.size() - gemms);
  return points;
}

SweepForecast forecast(const SweepPlan& plan, const SweepStore* store, const Shard& shard) {
  SweepForecast forecast;
  GemmJobs jobs;
  std::unordered_set<std::string> gemms;
  std::unordered_set<std::string> done;
  std::unordered_set<std::string> failed;
  if (store != nullptr) {
    done = store->point_keys();
    failed = store->failure_keys();
  }
  std::unordered_set<const SweepMachine*> machines;
  for (const std::size_t at : points_of(shard, plan)) {
    const SweepPoint& point = plan.points[at];
    machines.insert(point.machine.get());
    ++(point.kind == PointKind::gemm ? forecast.gemm_points : forecast.step_points);
    if (done.count(point.key) > 0 || failed.count(point.key) > 0) continue;
    ++forecast.points_left;
    if (point.kind != PointKind::gemm) continue;
    const auto [own, dense] = jobs.of(point);
    gemms.insert({key_of(own), key_of(dense)});
  }
  forecast.machines = std::ssize(machines);
  forecast.gemms = std::count_if(gemms.begin(), gemms.end(), [&](const std::string& key) {
    return store == nullptr || !store->find_run(key);
  });
  return forecast;
}

SweepOutcome run_sweep(const SweepPlan& plan, SweepStore& store, const SweepOptions& options) {
  return SweepRunner(plan, store, options).run();
}

}  // namespace stcsim
