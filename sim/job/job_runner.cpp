#include "sim/job/job_runner.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>

#include "common/error.hpp"
#include "common/io/worker_process.hpp"
#include "sim/job/job.hpp"
#include "sim/job/job_key.hpp"
#include "sim/job/result_store.hpp"

namespace stcsim {
namespace {

/// Jobs of about that work are of one class. Classes with most work come first, so that all workers
/// end at about the same time; inside a class jobs have an order that differs from machine to
/// machine, so that what makes the same launch is seldom simulated at the same time.
int work_class(const Work& work) {
  return std::ilogb(estimated_work(work));
}

}  // namespace

std::shared_ptr<const GemmRun> AskedJob::answer() const {
  return bytes.empty() ? nullptr : std::make_shared<const GemmRun>(decode(bytes));
}

JobRunner::Asked JobRunner::ask(const Job& job) {
  const auto [entry, is_new] = jobs_.try_emplace(key_of(job));
  AskedJob& asked = entry->second;
  if (!is_new) return {&asked, false};
  asked.job = job;
  asked.key = entry->first;
  if (store_ != nullptr) {
    if (std::optional<std::string> stored = store_->find(asked.key)) {
      asked.bytes = std::move(*stored);
      return {&asked, false};
    }
  }
  groups_.try_emplace(job.machine->as_built, std::ssize(groups_));
  missing_.push_back(&asked);
  return {&asked, true};
}

std::vector<AskedJob*> JobRunner::take_missing() {
  std::vector<AskedJob*> missing = std::exchange(missing_, {});
  const auto place = [this](const AskedJob* asked) {
    return std::tuple(groups_.at(asked->job.machine->as_built), -work_class(asked->job.work),
                      std::string_view(asked->key));
  };
  std::sort(missing.begin(), missing.end(),
            [&](const auto* one, const auto* other) { return place(one) < place(other); });
  return missing;
}

bool JobRunner::run(const std::function<void(AskedJob&)>& on_end) {
  const std::vector<AskedJob*> missing = take_missing();
  const auto asked = [&](std::int64_t number) -> AskedJob& {
    return *missing[static_cast<std::size_t>(number)];
  };
  WorkerPoolOptions pool;
  pool.workers = options_.workers;
  pool.interrupted = options_.interrupted;
  pool.group_of = [&](std::int64_t number) {
    return groups_.at(asked(number).job.machine->as_built);
  };
  pool.start_worker = [&]() -> Worker { return JobWorker(missing, options_); };
  pool.on_result = [&](std::int64_t number, std::string bytes) {
    AskedJob& job = asked(number);
    if (store_ != nullptr) store_->put(job.key, bytes);
    job.bytes = std::move(bytes);
    job.bytes.shrink_to_fit();
    on_end(job);
  };
  pool.on_failure = [&](std::int64_t number, std::string why) {
    asked(number).failure = std::move(why);
    on_end(asked(number));
  };
  return run_jobs(std::ssize(missing), pool);
}

void JobRunner::clear() {
  jobs_.clear();
  missing_.clear();
  groups_.clear();
}

Answers answers_to(const std::vector<Job>& jobs, const JobOptions& options,
                   const std::function<void(std::size_t done)>& on_progress) {
  JobRunner runner(options);
  std::vector<const AskedJob*> asked;
  std::size_t different = 0;
  for (const Job& job : jobs) {
    const JobRunner::Asked one = runner.ask(job);
    asked.push_back(one.job);
    if (one.is_missing) ++different;
  }
  std::size_t ended = 0;
  static_cast<void>(runner.run([&](const AskedJob& one) {
    if (!one.failure.empty()) {
      throw SimulationError(describe(one.job.work) + " on " + one.job.machine->as_built->name +
                            ": " + one.failure);
    }
    if (on_progress) on_progress(jobs.size() * ++ended / different);
  }));
  Answers answers;
  std::unordered_map<const AskedJob*, std::shared_ptr<const GemmRun>> known;
  for (const AskedJob* const one : asked) {
    std::shared_ptr<const GemmRun>& answer = known[one];
    if (answer == nullptr) answer = one->answer();
    answers.push_back(answer);
  }
  return answers;
}

std::string JobWorker::operator()(std::int64_t number) {
  const Job& job = jobs_[static_cast<std::size_t>(number)]->job;
  if (runner_ == nullptr) {
    runner_ = std::make_shared<MachineRunner>(*job.machine->as_built);
    runner_->set_fast_forward(options_.fast_forward);
    if (options_.launches) runner_->remember_launches(options_.launches);
  }
  GemmRun answer = run_job(*runner_, job);
  answer.result.events = 0;
  return encode(answer);
}

}  // namespace stcsim
