#include "sim/study.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "sim/gemm_run.hpp"
#include "sim/result_codec.hpp"
#include "sim/study_plan.hpp"
#include "sim/study_rows.hpp"
#include "sim/worker_pool.hpp"

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

std::string simulate(MachineRunner& runner, const StudyPoint& point, const KernelPolicy& policy) {
  if (point.is_gemm) return encode(run_gemm(runner, point.gemm, policy));
  return encode({run_stream(runner, point.stream), kDense, ""});
}

/// Runs one machine's points and keeps the books of progress over all machines.
class StudyRunner {
 public:
  StudyRunner(const Experiment& experiment, const StudyOptions& options)
      : experiment_(experiment), options_(options) {
    for (const MachineSpec& machine : experiment.machines) {
      plans_.push_back(plan_machine(experiment, machine));
      progress_.points += static_cast<std::int64_t>(plans_.back().points.size());
      for (const StudyPoint& point : plans_.back().points) {
        progress_.work += estimated_work(point);
      }
    }
  }

  StudyResult run() {
    for (const MachinePlan& plan : plans_) run_machine(plan);
    result_.resolved_config = experiment_.resolved_config;
    result_.config_hash = experiment_.config_hash;
    return std::move(result_);
  }

 private:
  void run_machine(const MachinePlan& plan) {
    PointResults results(plan.points.size());
    // The longest first, so that the workers end at about the same time.
    std::vector<std::size_t> order(plan.points.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return estimated_work(plan.points[a]) > estimated_work(plan.points[b]);
    });
    const auto point_of = [&](std::int64_t job) { return order[static_cast<std::size_t>(job)]; };
    WorkerPoolOptions pool;
    pool.workers = options_.jobs;
    pool.interrupted = options_.interrupted;
    pool.start_worker = [&]() -> Worker {
      auto runner = std::make_shared<MachineRunner>(plan.machine->config);
      const KernelPolicy policy{experiment_.kernel, experiment_.kernel_candidates};
      return [&, runner, policy](std::int64_t job) {
        return simulate(*runner, plan.points[point_of(job)], policy);
      };
    };
    pool.on_result = [&](std::int64_t job, const std::string& bytes) {
      results[point_of(job)] = decode(bytes);
      report(plan.points[point_of(job)]);
    };
    pool.on_failure = [&](std::int64_t job, const std::string& why) {
      const StudyPoint& point = plan.points[point_of(job)];
      result_.failures.push_back(
          fmt::format("{} on {}: {}", describe(point), plan.machine->name, why));
      report(point);
    };
    if (!run_jobs(static_cast<std::int64_t>(plan.points.size()), pool)) throw StudyInterrupted();
    collect(plan, results);
  }

  void report(const StudyPoint& point) {
    ++progress_.points_done;
    progress_.work_done += estimated_work(point);
    if (options_.on_progress) options_.on_progress(progress_);
  }

  void collect(const MachinePlan& plan, const PointResults& results) {
    const double clock_mhz = plan.machine->config.clock_mhz;
    std::vector<ResultRow> rows;
    std::vector<double> shares;
    for (const PlannedRow& planned : plan.rows) {
      if (auto row = finish_row(planned, results, clock_mhz)) {
        rows.push_back(std::move(*row));
        shares.push_back(planned.share_of_training);
      }
    }
    const auto totals = sum_totals(rows, shares, clock_mhz);
    result_.totals.insert(result_.totals.end(), totals.begin(), totals.end());
    std::move(rows.begin(), rows.end(), std::back_inserter(result_.rows));
    std::sort(result_.failures.begin(), result_.failures.end());
  }

  const Experiment& experiment_;
  const StudyOptions& options_;
  std::vector<MachinePlan> plans_;
  StudyProgress progress_;
  StudyResult result_;
};

}  // namespace

StudyResult run_study(const Experiment& experiment, const StudyOptions& options) {
  return StudyRunner(experiment, options).run();
}

}  // namespace stcsim
