#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace stcsim {

/// Does a job, of which a text may say more than its number, and returns its result in bytes; may
/// throw.
using JobWorkerFunction = std::function<std::string(std::int64_t job, const std::string& text)>;
/// Called once in the process, before its first job; may throw.
using StartJobWorker = std::function<JobWorkerFunction()>;

/// One forked worker, its two pipes, and the job it is doing.
class WorkerProcess {
 public:
  /// Forks. `inherited` are descriptors of other workers, which the child closes.
  WorkerProcess(const StartJobWorker& start, const std::vector<int>& inherited);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  /// Kills the process if it still runs, and waits for it.
  ~WorkerProcess();

  /// Hands it a job, which is job() from now on; false if the process is gone.
  bool give(std::int64_t job, std::string_view text = {});
  /// After a give() that failed: the job is free again.
  void take_back() { job_.reset(); }
  /// Reads what has arrived (to be called when answers() is readable).
  enum class State : std::uint8_t { busy, answered, died };
  State receive();

  [[nodiscard]] int answers() const { return answers_; }
  [[nodiscard]] int jobs() const { return jobs_; }
  [[nodiscard]] std::optional<std::int64_t> job() const { return job_; }
  /// After `answered`: whether the job succeeded, and its result or what it threw.
  [[nodiscard]] bool succeeded() const { return succeeded_; }
  [[nodiscard]] std::string take_answer();
  /// After `died`: how.
  [[nodiscard]] std::string cause_of_death();

 private:
  pid_t process_ = -1;
  int jobs_ = -1;     // we write
  int answers_ = -1;  // we read
  std::optional<std::int64_t> job_;
  std::string received_;
  bool succeeded_ = false;
};

/// Does job number `index` and returns its result in bytes; may throw.
using Worker = std::function<std::string(std::int64_t index)>;

struct WorkerPoolOptions {
  /// Worker processes to run side by side, at least 1; fewer if the system does not allow as many.
  std::int64_t workers = 1;
  /// Jobs that may share a process: a number for each job, the same for neighbours that do. A
  /// process gets jobs of one group only, and ends with it. Empty: all jobs are one group.
  std::function<std::int64_t(std::int64_t index)> group_of = {};
  /// Called once in every worker process, before its first job. If it throws, all jobs of that
  /// process fail for that reason.
  std::function<Worker()> start_worker;
  /// Called in this process, in the order in which jobs end.
  std::function<void(std::int64_t index, std::string result)> on_result;
  /// A job that threw, or whose process died; the other jobs go on.
  std::function<void(std::int64_t index, std::string why)> on_failure;
  /// Asked several times a second; when it returns true all workers are killed and run_jobs returns
  /// false.
  std::function<bool()> interrupted;
};

/// Runs jobs 0 .. jobs-1, handed out in this order, in forked processes; of several groups each in
/// its order, a free process beginning the next group, or helping where most is left when all are
/// begun. The processes end with this one, however it ends. Returns true when all jobs have been
/// answered.
bool run_jobs(std::int64_t jobs, const WorkerPoolOptions& options);

}  // namespace stcsim
