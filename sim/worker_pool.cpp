#include "sim/worker_pool.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <poll.h>
#include <signal.h>

#include "sim/worker_process.hpp"

namespace stcsim {
namespace {

constexpr int kPollMilliseconds = 100;

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
    for (std::int64_t at = 0; at < count; ++at) start_worker();
    while (answered_ < jobs_) {
      if (options_.interrupted && options_.interrupted()) return false;
      wait_for_answers();
    }
    return true;
  }

 private:
  void start_worker() {
    std::vector<int> inherited;
    for (const auto& worker : workers_) {
      inherited.push_back(worker->jobs());
      inherited.push_back(worker->answers());
    }
    workers_.push_back(std::make_unique<WorkerProcess>(options_, inherited));
    give_next(*workers_.back());
  }

  void give_next(WorkerProcess& worker) {
    if (next_job_ < jobs_) worker.give(next_job_++);  // a dead worker shows up at the next read
  }

  void wait_for_answers() {
    std::vector<pollfd> files;
    for (const auto& worker : workers_) files.push_back({worker->answers(), POLLIN, 0});
    if (::poll(files.data(), files.size(), kPollMilliseconds) <= 0) return;
    std::vector<WorkerProcess*> dead;
    for (std::size_t at = 0; at < files.size(); ++at) {
      if (files[at].revents == 0 || !workers_[at]->job()) continue;
      const WorkerProcess::State state = workers_[at]->receive();
      if (state == WorkerProcess::State::answered) take_answer(*workers_[at]);
      if (state == WorkerProcess::State::died) dead.push_back(workers_[at].get());
    }
    for (WorkerProcess* worker : dead) bury(worker);
  }

  void take_answer(WorkerProcess& worker) {
    const std::int64_t job = *worker.job();
    const bool succeeded = worker.succeeded();
    std::string text = worker.take_answer();
    ++answered_;
    (succeeded ? options_.on_result : options_.on_failure)(job, std::move(text));
    give_next(worker);
  }

  void bury(WorkerProcess* worker) {
    const std::int64_t job = *worker->job();
    const std::string why = worker->cause_of_death();
    std::erase_if(workers_, [&](const auto& other) { return other.get() == worker; });
    ++answered_;
    options_.on_failure(job, why);
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
