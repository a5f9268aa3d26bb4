#include "sim/sweep/sweep_run.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/catalog.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/study/validated_errors.hpp"
#include "sim/study/worker_pool.hpp"
#include "sim/sweep/gemm_figures.hpp"
#include "sim/sweep/gemm_jobs.hpp"
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

/// The machines of a worker process: one, made when its first job comes.
class JobWorker {
 public:
  JobWorker(const std::vector<const GemmJob*>& jobs, bool fast_forward,
            std::shared_ptr<LaunchCache> launches)
      : jobs_(jobs), fast_forward_(fast_forward), launches_(std::move(launches)) {}

  std::string operator()(std::int64_t number) {
    const GemmJob& job = *jobs_[static_cast<std::size_t>(number)];
    if (runner_ == nullptr) {
      runner_ = std::make_shared<MachineRunner>(job.machine->spec.config);
      runner_->set_fast_forward(fast_forward_);
      runner_->remember_launches(launches_);
    }
    LaunchConditions conditions;
    conditions.locked_clock_mhz = job.clock_mhz;
    const GemmRun run = run_gemm_sustained(*runner_, job.gemm, job.policy, conditions);
    return gemm_figures(job.machine->spec.config, run, job.policy.sampled).dump();
  }

 private:
  const std::vector<const GemmJob*>& jobs_;
  bool fast_forward_;
  std::shared_ptr<LaunchCache> launches_;
  std::shared_ptr<MachineRunner> runner_;
};

class SweepRunner {
 public:
  SweepRunner(const SweepPlan& plan, SweepStore& store, const SweepOptions& options)
      : plan_(plan), store_(store), options_(options) {}

  SweepOutcome run() {
    find_points();
    look_up_gemms();
    report();
    run_gemms();
    run_steps();
    return outcome_;
  }

 private:
  /// What is left of a GEMM point.
  struct OpenPoint {
    std::optional<ordered_json> own;
    std::optional<ordered_json> dense;
    std::string failure;
    bool is_over = false;
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
        jobs_.add(plan_, at);
        open_.try_emplace(at);
      } else {
        steps_.push_back(at);
        progress_.work += kStepWork;
      }
    }
    progress_.points = outcome_.points;
    progress_.points_done = outcome_.found + outcome_.found_failed;
  }

  void look_up_gemms() {
    for (const GemmJob& job : jobs_.all()) {
      if (const std::optional<std::string> figures = store_.find_run(job.key)) {
        ++outcome_.found_gemms;
        settle(job, ordered_json::parse(*figures));
      } else {
        missing_.push_back(&job);
        ++progress_.work;
      }
    }
    // A machine's jobs follow each other.
    const auto place = [](const GemmJob* job) {
      return std::tuple(job->group, -work_class(job->work()), std::string_view(job->key));
    };
    std::sort(missing_.begin(), missing_.end(),
              [&](const auto* one, const auto* other) { return place(one) < place(other); });
  }

  void run_gemms() {
    WorkerPoolOptions pool;
    pool.workers = options_.jobs;
    pool.interrupted = options_.interrupted;
    pool.group_of = [&](std::int64_t job) { return missing_job(job).group; };
    pool.start_worker = [&]() -> Worker {
      return JobWorker(missing_, options_.fast_forward, options_.launches);
    };
    pool.on_result = [&](std::int64_t number, const std::string& figures) {
      const GemmJob& job = missing_job(number);
      store_.put_run(job.key, figures);
      ++outcome_.simulated_gemms;
      ++progress_.work_done;
      settle(job, ordered_json::parse(figures));
    };
    pool.on_failure = [&](std::int64_t number, const std::string& why) {
      ++progress_.work_done;
      fail(missing_job(number), why);
    };
    if (!run_jobs(static_cast<std::int64_t>(missing_.size()), pool)) throw StudyInterrupted();
  }

  [[nodiscard]] const GemmJob& missing_job(std::int64_t number) const {
    return *missing_[static_cast<std::size_t>(number)];
  }

  void settle(const GemmJob& job, const ordered_json& figures) {
    for (const std::size_t number : job.points) {
      OpenPoint& open = open_.at(number);
      const GemmProblem& own = plan_.points[number].gemm;
      if (job.gemm == own) open.own = figures;
      if (job.gemm == dense_of(own)) open.dense = figures;
      close_if_done(number, open);
    }
  }

  void close_if_done(std::size_t number, OpenPoint& open) {
    if (open.is_over || !open.own || !open.dense) return;
    open.is_over = true;
    const SweepPoint& point = plan_.points[number];
    const double gain_error =
        errors_ ? errors_->of(point.machine->spec.name, point.gemm.dtype).gain : 0.0;
    keep(point, gemm_point_figures(point, *open.own, *open.dense, gain_error));
    open.own.reset();
    open.dense.reset();
  }

  void fail(const GemmJob& job, const std::string& why) {
    for (const std::size_t number : job.points) {
      OpenPoint& open = open_.at(number);
      if (std::exchange(open.is_over, true)) continue;
      keep_failure(plan_.points[number], why);
    }
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
    const StepRunCounts counts = stcsim::run_steps(plan_, steps_, store_, options);
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
  GemmJobs jobs_;
  std::vector<const GemmJob*> missing_;
  std::unordered_map<std::size_t, OpenPoint> open_;
  std::vector<std::size_t> steps_;
  StudyProgress progress_;
  SweepOutcome outcome_;
};

}  // namespace

SweepOutcome run_sweep(const SweepPlan& plan, SweepStore& store, const SweepOptions& options) {
  return SweepRunner(plan, store, options).run();
}

}  // namespace stcsim
