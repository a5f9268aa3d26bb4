#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/job/job.hpp"
#include "sim/run/launch_cache.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim {

class RunStore;

/// How jobs are run: answers do not depend on it.
struct JobOptions {
  /// Worker processes side by side, at least 1.
  std::int64_t workers = 1;
  /// Skip what recurs in a simulated kernel.
  bool fast_forward = true;
  /// What is known of launches, shared by the workers; may be null.
  std::shared_ptr<LaunchCache> launches = {};
  /// Asked regularly; when it returns true, the workers are ended. May be empty.
  std::function<bool()> interrupted = {};
};

/// A job that was asked for, and what is known of it.
struct AskedJob {
  Job job;
  /// key_of() it.
  std::string key;
  /// Its answer, encoded, which takes a tenth of the memory. Empty until it has been simulated, and
  /// if that failed.
  std::string bytes;
  /// Why it failed.
  std::string failure;

  /// Null if there is none.
  [[nodiscard]] std::shared_ptr<const GemmRun> answer() const;
};

/// Runs jobs in worker processes. Of those with equal keys there is one.
class JobRunner {
 public:
  /// @param store  where answers are looked up and kept; may be null
  explicit JobRunner(JobOptions options, RunStore* store = nullptr)
      : options_(std::move(options)), store_(store) {}

  struct Asked {
    /// Stays where it is until clear().
    AskedJob* job = nullptr;
    /// It is to be simulated, and nobody has asked for it before.
    bool is_missing = false;
  };
  [[nodiscard]] Asked ask(const Job& job);

  /// Simulates what is missing, machine by machine, what takes most work first.
  /// @param on_end  called in this process for each when it has ended, one way or the other; may
  ///                take its bytes away
  /// @return false if it was interrupted
  [[nodiscard]] bool run(const std::function<void(AskedJob&)>& on_end);
  /// Forgets all jobs.
  void clear();

 private:
  [[nodiscard]] std::vector<AskedJob*> take_missing();

  JobOptions options_;
  RunStore* store_;
  std::unordered_map<std::string, AskedJob> jobs_;
  std::vector<AskedJob*> missing_;
  /// Numbers of machines as they are built, in the order in which they were asked for.
  std::map<const MachineConfig*, std::int64_t> groups_;
};

using Answers = std::vector<std::shared_ptr<const GemmRun>>;

/// The jobs' answers, in this order.
/// @param on_progress  told how many are done, whenever one is; may be empty
/// @throws SimulationError  for the first that fails
[[nodiscard]] Answers answers_to(const std::vector<Job>& jobs, const JobOptions& options,
                                 const std::function<void(std::size_t done)>& on_progress = {});

/// What a worker process does (worker_process.hpp). It has one machine, built when the first job
/// comes; the clock is each job's own.
class JobWorker {
 public:
  /// @param jobs  of machines that are built alike; must outlive the worker
  JobWorker(const std::vector<AskedJob*>& jobs, const JobOptions& options)
      : jobs_(jobs), options_(options) {}

  /// @return the encoded answer. What it took to simulate (LaunchResult::events) is no part of it.
  [[nodiscard]] std::string operator()(std::int64_t number);

 private:
  const std::vector<AskedJob*>& jobs_;
  const JobOptions& options_;
  std::shared_ptr<MachineRunner> runner_;
};

}  // namespace stcsim
