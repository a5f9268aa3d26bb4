#include "sim/study/worker_pool.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include <poll.h>
#include <signal.h>

#include "common/error.hpp"
#include "sim/study/worker_process.hpp"

namespace stcsim {
namespace {

constexpr int kPollMilliseconds = 100;
/// poll() passes over such a descriptor.
constexpr int kNotPolled = -1;

/// A write to a worker that has died must be an error code, not a signal.
class IgnoreBrokenPipes {
 public:
  IgnoreBrokenPipes() : before_(::signal(SIGPIPE, SIG_IGN)) {}
  IgnoreBrokenPipes(const IgnoreBrokenPipes&) = delete;
  IgnoreBrokenPipes& operator=(const IgnoreBrokenPipes&) = delete;
  ~IgnoreBrokenPipes() { ::signal(SIGPIPE, before_); }

 private:
  void (*before_)(int);
};

class Pool {
 public:
  Pool(std::int64_t jobs, const WorkerPoolOptions& options) : jobs_(jobs), options_(options) {}

  bool run() {
    const std::int64_t count = std::min(jobs_, std::max<std::int64_t>(options_.workers, 1));
    for (std::int64_t at = 0; at < count && start_worker(); ++at) {
    }
    while (answered_ < jobs_) {
      if (options_.interrupted && options_.interrupted()) return false;
      wait_for_answers();
    }
    return true;
  }

 private:
  /// Starts a worker with the next job. False if the system allows no more processes or
  /// descriptors, which does no harm as long as there are other workers.
  bool start_worker() {
    std::vector<int> inherited;
    for (const auto& worker : workers_) {
      inherited.push_back(worker->jobs());
      inherited.push_back(worker->answers());
    }
    try {
      workers_.push_back(std::make_unique<WorkerProcess>(options_, inherited));
    } catch (const SimulationError&) {
      if (workers_.empty()) throw;
      return false;
    }
    workers_.back()->give(next_job_++);  // if it is dead already, the next read shows it
    return true;
  }

  /// False if the worker has died since its last answer: it has not touched the next job.
  bool give_next(WorkerProcess& worker) {
    if (next_job_ == jobs_) return true;
    if (!worker.give(next_job_)) {
      worker.take_back();
      return false;
    }
    ++next_job_;
    return true;
  }

  void wait_for_answers() {
    std::vector<pollfd> files;
    for (const auto& worker : workers_) {
      files.push_back({worker->job() ? worker->answers() : kNotPolled, POLLIN, 0});
    }
    if (::poll(files.data(), files.size(), kPollMilliseconds) <= 0) return;
    std::vector<WorkerProcess*> dead;
    std::vector<WorkerProcess*> done;
    for (std::size_t at = 0; at < files.size(); ++at) {
      if (files[at].revents == 0) continue;
      if (!take_what_arrived(*workers_[at])) dead.push_back(workers_[at].get());
      if (options_.one_job_each && !workers_[at]->job()) done.push_back(workers_[at].get());
    }
    for (WorkerProcess* worker : dead) bury(worker);
    for (WorkerProcess* worker : done) replace(worker);
  }

  /// False if the worker has died.
  bool take_what_arrived(WorkerProcess& worker) {
    const WorkerProcess::State state = worker.receive();
    if (state != WorkerProcess::State::answered) return state == WorkerProcess::State::busy;
    const std::int64_t job = *worker.job();
    const bool succeeded = worker.succeeded();
    std::string text = worker.take_answer();
    ++answered_;
    (succeeded ? options_.on_result : options_.on_failure)(job, std::move(text));
    return options_.one_job_each || give_next(worker);
  }

  void replace(WorkerProcess* worker) {
    std::erase_if(workers_, [&](const auto& other) { return other.get() == worker; });
    if (next_job_ < jobs_) start_worker();
  }

  void bury(WorkerProcess* worker) {
    const std::optional<std::int64_t> job = worker->job();
    const std::string why = worker->cause_of_death();
    std::erase_if(workers_, [&](const auto& other) { return other.get() == worker; });
    if (job) {
      ++answered_;
      options_.on_failure(*job, why);
    }
    if (next_job_ < jobs_) start_worker();
  }

  std::int64_t jobs_;
  const WorkerPoolOptions& options_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  std::int64_t next_job_ = 0;
  std::int64_t answered_ = 0;
};

}  // namespace

bool run_jobs(std::int64_t jobs, const WorkerPoolOptions& options) {
  const IgnoreBrokenPipes ignore;
  return Pool(jobs, options).run();
}

}  // namespace stcsim
