#include "training/run_pool.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>

#include "common/error.hpp"
#include "common/io/text_file.hpp"
#include "common/io/worker_process.hpp"
#include "training/run_progress.hpp"

namespace stcsim::training {
namespace {

/// A learning curve as CSV: a header, then a line per epoch, each written out at once into
/// PATH.partial, which an interrupted run leaves.
class CurveFile {
 public:
  /// Begins anew: removes the curve of a run before, makes the folder.
  /// @throws ConfigError if it cannot be written
  explicit CurveFile(const std::filesystem::path& path);

  void add(const EpochResult& result);
  /// Gives the file its name.
  void complete();

 private:
  void write(const std::string& line);
  void check(bool is_fine) const;

  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::ofstream stream_;
};

CurveFile::CurveFile(const std::filesystem::path& path)
    : path_(path), partial_(path.string() + ".partial") {
  std::error_code ignored;  // opening says what is wrong
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::filesystem::remove(path, ignored);
  stream_.open(partial_);
  write("epoch,step,samples,train_loss,eval_loss,eval_accuracy\n");
}

void CurveFile::add(const EpochResult& result) {
  write(fmt::format("{},{},{},{:.7g},{:.7g},{:.7g}\n", result.epoch, result.step, result.samples,
                    result.train_loss, result.eval_loss, result.eval_accuracy));
}

void CurveFile::complete() {
  stream_.close();
  check(stream_ && std::rename(partial_.c_str(), path_.c_str()) == 0);
}

void CurveFile::write(const std::string& line) {
  stream_ << line << std::flush;
  check(static_cast<bool>(stream_));
}

void CurveFile::check(bool is_fine) const {
  if (is_fine) return;
  throw ConfigError("cannot write " + path_.string() + ": " +
                    std::generic_category().message(errno));
}

volatile std::sig_atomic_t caught_signal = 0;

void note_signal(int signal) {
  caught_signal = signal;
}

/// Without restarting calls, so that waiting for a report ends.
void catch_signals() {
  struct sigaction action {};
  action.sa_handler = &note_signal;
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

struct PlannedRun {
  const SchemeRun* scheme;
  std::uint64_t seed;

  [[nodiscard]] std::string name() const {
    return fmt::format("{} seed {}", scheme->scheme.name, seed);
  }
};

/// Where the run's curve is written.
std::filesystem::path curve_of(const std::filesystem::path& out, const PlannedRun& run) {
  return out / run.scheme->scheme.name / fmt::format("seed{}.csv", run.seed);
}

std::vector<PlannedRun> plan_of(const Experiment& experiment, const PoolOptions& options) {
  std::vector<PlannedRun> plan;
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < experiment.seeds; ++i) {
    for (const SchemeRun& scheme : experiment.schemes) {
      const PlannedRun run{&scheme, static_cast<std::uint64_t>(experiment.first_seed + i)};
      const bool is_there = options.resume && exists(curve_of(options.out, run));
      found += is_there ? 1 : 0;
      if (!is_there) plan.push_back(run);
    }
  }
  if (found > 0) {
    fmt::print(stderr, "stcsim train: {} of {} runs lie in {}\n", found, found + std::ssize(plan),
               printable(options.out.string()));
  }
  return plan;
}

/// The report of a run's process to the one that started it.
struct SharedReport {
  std::atomic<std::int64_t> steps;
  /// The last epoch's, once it has ended.
  double accuracy;
  double loss;
};

/// Those of all runs, in memory that processes share.
class SharedReports {
 public:
  explicit SharedReports(std::size_t runs)
      : bytes_(std::max<std::size_t>(runs, 1) * sizeof(SharedReport)),
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) {
      throw std::system_error(errno, std::generic_category(), "cannot share memory with runs");
    }
  }
  ~SharedReports() { munmap(memory_, bytes_); }
  SharedReports(const SharedReports&) = delete;
  SharedReports& operator=(const SharedReports&) = delete;

  [[nodiscard]] SharedReport& operator[](std::size_t run) const {
    return static_cast<SharedReport*>(memory_)[run];
  }

 private:
  std::size_t bytes_;
  void* memory_;  // zeros at first
};

class Runs {
 public:
  Runs(const Experiment& experiment, const PoolOptions& options)
      : experiment_(experiment),
        options_(options),
        task_(make_task(experiment)),
        plan_(plan_of(experiment, options)),
        reports_(plan_.size()),
        progress_(std::ssize(plan_) * experiment.steps(), std::ssize(plan_)) {}

  std::int64_t run() {
    catch_signals();
    WorkerPoolOptions pool;
    pool.workers = options_.jobs;
    pool.group_of = [](std::int64_t run) { return run; };  // each has a process of its own
    pool.start_worker = [this]() -> Worker {
      return [this](std::int64_t run) {
        train_one(static_cast<std::size_t>(run));
        return std::string();
      };
    };
    pool.on_result = [this](std::int64_t run, const std::string&) { report(run, true, false); };
    pool.on_failure = [this](std::int64_t run, const std::string& why) { fail(run, why); };
    pool.interrupted = [this] {
      for (std::int64_t run = 0; run < std::ssize(plan_); ++run) report(run, false, false);
      return caught_signal != 0;
    };
    if (!run_jobs(std::ssize(plan_), pool)) throw Interrupted(caught_signal);
    return failed_;
  }

 private:
  /// In a process of its own.
  void train_one(std::size_t index) {
    const PlannedRun& run = plan_[index];
    SharedReport& shared = reports_[index];
    const std::filesystem::path path = curve_of(options_.out, run);
    CurveFile curve(path);
    const std::filesystem::path saved = path.parent_path() / path.stem();
    RunRequest request{experiment_, *task_, *run.scheme, run.seed, {}, {}};
    if (options_.save_weights) request.save_weights_to = saved;
    if (options_.save_gradients) request.save_gradients_to = saved / "gradients";
    const EpochResult last = train(request, {[&](std::int64_t steps) { shared.steps = steps; },
                                             [&](const EpochResult& epoch) { curve.add(epoch); }});
    curve.complete();
    shared.accuracy = last.eval_accuracy;
    shared.loss = last.eval_loss;
  }

  void fail(std::int64_t run, const std::string& why) {
    fmt::print(stderr, "stcsim train: {} failed: {}\n", printable(name_of(run)), printable(why));
    ++failed_;
    report(run, true, true);
  }

  void report(std::int64_t run, bool ended, bool failed) {
    const SharedReport& shared = reports_[static_cast<std::size_t>(run)];
    progress_.take(
        {static_cast<int>(run), shared.steps, ended, shared.accuracy, shared.loss, failed},
        name_of(run));
  }

  [[nodiscard]] std::string name_of(std::int64_t run) const {
    return plan_[static_cast<std::size_t>(run)].name();
  }

  const Experiment& experiment_;
  const PoolOptions& options_;
  std::unique_ptr<Task> task_;
  std::vector<PlannedRun> plan_;
  SharedReports reports_;
  RunProgress progress_;
  std::int64_t failed_ = 0;
};

}  // namespace

std::int64_t train_all(const Experiment& experiment, const PoolOptions& options) {
  return Runs(experiment, options).run();
}

}  // namespace stcsim::training
