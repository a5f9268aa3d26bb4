
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include <poll.h>
#include <signal.h>

#include "common/error.hpp"
#include "common/io/worker_process.hpp"

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

/// Jobs that have not been handed out, by groups.
class JobQueue {
 public:
  JobQueue(std::int64_t jobs, const WorkerPoolOptions& options) {
    std::optional<std::int64_t> last;
    for (std::int64_t job = 0; job < jobs; ++job) {
      const std::int64_t group = options.group_of ? options.group_of(job) : 0;
      if (last != group) groups_.push_back({job, job, job});
      last = group;
      ++groups_.back().end;
    }
  }

  /// A group with jobs left: the first that is not begun, else that with most left.
  [[nodiscard]] std::optional<std::size_t> find_group() {
    while (first_new_ < groups_.size() && groups_[first_new_].is_begun()) ++first_new_;
    if (first_new_ < groups_.size()) return first_new_;
    const auto most = std::max_element(groups_.begin(), groups_.end(),
                                       [](auto& a, auto& b) { return a.left() < b.left(); });
    if (most == groups_.end() || most->left() == 0) return std::nullopt;
    return static_cast<std::size_t>(most - groups_.begin());
  }
  [[nodiscard]] bool has_jobs(std::size_t group) const { return groups_[group].left() > 0; }
  /// The next job of a group that has jobs.
  [[nodiscard]] std::int64_t take(std::size_t group) { return groups_[group].next++; }
  /// Undoes the last take().
  void give_back(std::size_t group) { --groups_[group].next; }

 private:
  struct Group {
    std::int64_t begin = 0;
    std::int64_t next = 0;
    std::int64_t end = 0;

    [[nodiscard]] bool is_begun() const { return next > begin; }
    [[nodiscard]] std::int64_t left() const { return end - next; }
  };
  std::vector<Group> groups_;
  std::size_t first_new_ = 0;
};

class Pool {
 public:
  Pool(std::int64_t jobs, const WorkerPoolOptions& options)
      : jobs_(jobs),
        options_(options),
        start_([&options]() -> JobWorkerFunction {
          return [work = options.start_worker()](std::int64_t job, const std::string&) {
            return work(job);
          };
        }),
        queue_(jobs, options) {}

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
  /// A process and the group whose jobs it does.
  struct Running {
    std::unique_ptr<WorkerProcess> process;
    std::size_t group = 0;
  };

  /// Starts a worker with the next job, if there is one. False if the system allows no more
  /// processes or descriptors, which does no harm as long as there are other workers.
  bool start_worker() {
    const std::optional<std::size_t> group = queue_.find_group();
    if (!group) return true;
    std::vector<int> inherited;
    for (const Running& worker : workers_) {
      inherited.push_back(worker.process->jobs());
      inherited.push_back(worker.process->answers());
    }
    try {
      workers_.push_back({std::make_unique<WorkerProcess>(start_, inherited), *group});
    } catch (const SimulationError&) {
      if (workers_.empty()) throw;
      return false;
    }
    // if it is dead already, the next read shows it
    workers_.back().process->give(queue_.take(*group));
    return true;
  }

  /// False if the worker has died since its last answer: it has not touched the next job.
  bool give_next(Running& worker) {
    if (!queue_.has_jobs(worker.group)) return true;
    if (!worker.process->give(queue_.take(worker.group))) {
      worker.process->take_back();
      queue_.give_back(worker.group);
      return false;
    }
    return true;
  }

  void wait_for_answers() {
    std::vector<pollfd> files;
    for (const Running& worker : workers_) {
      files.push_back({worker.process->job() ? worker.process->answers() : kNotPolled, POLLIN, 0});
    }
    if (::poll(files.data(), files.size(), kPollMilliseconds) <= 0) return;
    std::vector<WorkerProcess*> dead;
    std::vector<WorkerProcess*> done;
    for (std::size_t at = 0; at < files.size(); ++at) {
      if (files[at].revents == 0) continue;
      WorkerProcess* const process = workers_[at].process.get();
      if (!take_what_arrived(workers_[at])) {
        dead.push_back(process);
      } else if (!process->job()) {
        done.push_back(process);
      }
    }
    for (WorkerProcess* worker : dead) bury(worker);
    for (WorkerProcess* worker : done) replace(worker);
  }

  /// False if the worker has died.
  bool take_what_arrived(Running& worker) {
    const WorkerProcess::State state = worker.process->receive();
    if (state != WorkerProcess::State::answered) return state == WorkerProcess::State::busy;
    const std::int64_t job = *worker.process->job();
    const bool succeeded = worker.process->succeeded();
    std::string text = worker.process->take_answer();
    ++answered_;
    (succeeded ? options_.on_result : options_.on_failure)(job, std::move(text));
    return give_next(worker);
  }

  void remove(const WorkerProcess* worker) {
    std::erase_if(workers_, [&](const Running& other) { return other.process.get() == worker; });
  }

  void replace(WorkerProcess* worker) {
    remove(worker);
    start_worker();
  }

  void bury(WorkerProcess* worker) {
    const std::optional<std::int64_t> job = worker->job();
    const std::string why = worker->cause_of_death();
    remove(worker);
    if (job) {
      ++answered_;
      options_.on_failure(*job, why);
    }
    start_worker();
  }

  std::int64_t jobs_;
  const WorkerPoolOptions& options_;
  StartJobWorker start_;
  std::vector<Running> workers_;
  JobQueue queue_;
  std::int64_t answered_ = 0;
};

}  // namespace

bool run_jobs(std::int64_t jobs, const WorkerPoolOptions& options) {
  const IgnoreBrokenPipes ignore;
  return Pool(jobs, options).run();
}

}  // namespace stcsim
