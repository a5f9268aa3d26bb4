#include "sim/sweep/sweep_run.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/json_reader.hpp"
#include "models/accelerator/accelerator.hpp"
#include "sim/job/job_key.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/study/validated_errors.hpp"
#include "sim/sweep/step_runner.hpp"

namespace stcsim {
namespace {

class SweepRunner {
 public:
  SweepRunner(const SweepPlan& plan, SweepStore& store, const SweepOptions& options)
      : plan_(plan),
        store_(store),
        options_(options),
        points_(plan, store, options),
        runs_(store),
        jobs_({options.study.jobs, options.study.fast_forward, options.study.launches,
               options.study.interrupted},
              &runs_) {}

  SweepOutcome run() {
    find_points();
    for (AskedJob* const job : std::exchange(found_, {})) settle(*job);
    points_.report();
    run_gemms();
    run_steps();
    return points_.outcome;
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
    const auto done = store_.keys("points");
    const auto failed =
        options_.retry_failed ? std::unordered_set<std::string>() : store_.keys("failures");
    const std::vector<std::size_t> points = points_of(options_.shard, plan_);
    SweepOutcome& outcome = points_.outcome;
    outcome.points = std::ssize(points);
    for (const std::size_t at : points) {
      const SweepPoint& point = plan_.points[at];
      if (done.count(point.key) > 0) {
        ++outcome.found;
      } else if (failed.count(point.key) > 0) {
        ++outcome.found_failed;
      } else if (point.kind == PointKind::gemm) {
        const auto [own, dense] = gemm_jobs_.of(point);
        open_[at] = {await(own, at), await(dense, at)};
      } else {
        steps_.push_back(at);
        points_.progress.work += kStepWork;
      }
    }
    points_.progress.points = outcome.points;
    points_.progress.points_done = outcome.found + outcome.found_failed;
  }

  AskedJob* await(const Job& gemm, std::size_t point) {
    const auto [job, is_missing] = jobs_.ask(gemm);
    if (is_missing) ++points_.progress.work;
    std::vector<std::size_t>& points = waiting_[job];
    if (points.empty() && !is_missing) found_.push_back(job);
    if (points.empty() || points.back() != point) points.push_back(point);
    return job;
  }

  void run_gemms() {
    const auto on_end = [this](AskedJob& job) {
      ++points_.progress.work_done;
      settle(job);
    };
    if (!jobs_.run(on_end)) throw StudyInterrupted();
    points_.outcome.of_gemms = runs_.counts();
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
        points_.keep_failure(number, job.failure);
      } else if (!keep_if_done(number, open->second)) {
        continue;
      }
      open_.erase(open);
    }
  }

  bool keep_if_done(std::size_t number, const OpenPoint& open) {
    if (!open.own_run || !open.dense_run) return false;
    const SweepPoint& point = plan_.points[number];
    const double gain_error =
        errors_ ? errors_->of(point.machine->spec.name, point.gemm.dtype, "").gain.mean() : 0.0;
    points_.keep(number, gemm_point_figures(point, *open.own_run, *open.dense_run, gain_error));
    return true;
  }

  void run_steps() {
    StudyOptions study = options_.study;
    study.errors = errors_ ? &*errors_ : nullptr;
    stcsim::run_steps(plan_, steps_, std::move(study), store_, points_);
  }

  const SweepPlan& plan_;
  SweepStore& store_;
  const SweepOptions& options_;
  const std::optional<ValidatedErrors> errors_ =
      ValidatedErrors::load(config_directory() / "validation");
  PointKeeper points_;
  SweepRuns runs_;
  JobRunner jobs_;
  GemmJobs gemm_jobs_;
  std::unordered_map<const AskedJob*, std::vector<std::size_t>> waiting_;
  std::vector<AskedJob*> found_;
  std::unordered_map<std::size_t, OpenPoint> open_;
  std::vector<std::size_t> steps_;
};

}  // namespace

std::pair<Job, Job> GemmJobs::of(const SweepPoint& point) {
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
    done = store->keys("points");
    failed = store->keys("failures");
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

nlohmann::ordered_json stored_figures(const SweepStore& store, const SweepPoint& point) {
  if (const auto stored = store.find("points", point.key)) {
    return parse_json(stored->result, "a stored point");
  }
  // "machine.accelerator.l2_cache.read_bytes_per_clk 7680, gemm ff1"
  std::string text;
  for (const auto& [name, label] : point.values) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, label);
  }
  const auto failure = store.find("failures", point.key);
  throw SimulationError(
      fmt::format("{}: {}", text, failure ? failure->result : "was not simulated"));
}

SweepOutcome run_sweep(const SweepPlan& plan, SweepStore& store, const SweepOptions& options) {
  return SweepRunner(plan, store, options).run();
}

}  // namespace stcsim
