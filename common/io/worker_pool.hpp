#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace stcsim {

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
