#include "training/run_pool.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "training/curve_file.hpp"
#include "training/run_progress.hpp"

namespace stcsim::training {
namespace {

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

std::vector<PlannedRun> plan_of(const Experiment& experiment) {
  std::vector<PlannedRun> plan;
  for (std::int64_t i = 0; i < experiment.seeds; ++i) {
    for (const SchemeRun& scheme : experiment.schemes) {
      plan.push_back({&scheme, static_cast<std::uint64_t>(experiment.first_seed + i)});
    }
  }
  return plan;
}

class Pool {
 public:
  Pool(const Experiment& experiment, const PoolOptions& options)
      : experiment_(experiment),
        options_(options),
        task_(make_task(experiment)),
        plan_(plan_of(experiment)),
        progress_(std::ssize(plan_) * experiment.steps(), std::ssize(plan_)) {
    if (pipe(pipe_.data()) != 0) {
      throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
    }
  }
  ~Pool() {
    for (const int end : pipe_) close(end);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  std::int64_t run() {
    catch_signals();
    std::size_t next = 0;
    while (next < plan_.size() || !running_.empty()) {
      while (next < plan_.size() && std::ssize(running_) < options_.jobs) start(next++);
      take_report();
      if (caught_signal != 0) stop();
    }
    return failed_;
  }

 private:
  void start(std::size_t index) {
    const pid_t child = fork();
    if (child < 0) {
      throw std::system_error(errno, std::generic_category(), "cannot start a run");
    }
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
      _exit(run_child(index));
    }
    running_[static_cast<int>(index)] = child;
  }

  /// In a process of its own: reports are smaller than what a pipe takes at once.
  int run_child(std::size_t index) {
    Report report{static_cast<int>(index), 0, false, 0, 0, false};
    const auto send = [&] { (void)!write(pipe_[1], &report, sizeof report); };
    try {
      train_one(plan_[index], report, send);
    } catch (const std::exception& error) {
      report.failed = true;
      (void)std::fprintf(stderr, "stcsim train: %s failed: %s\n", plan_[index].name().c_str(),
                         error.what());
    }
    report.ended = true;
    send();
    return report.failed ? 1 : 0;
  }

  template <class Send>
  void train_one(const PlannedRun& run, Report& report, Send send) {
    const std::filesystem::path folder = options_.out / run.scheme->scheme.name;
    CurveFile curve(folder / fmt::format("seed{}.csv", run.seed));
    const std::filesystem::path saved = folder / fmt::format("seed{}", run.seed);
    RunRequest request{experiment_, *task_, *run.scheme, run.seed, {}, {}};
    if (options_.save_weights) request.save_weights_to = saved;
    if (options_.save_gradients) request.save_gradients_to = saved / "gradients";
    const EpochResult last = train(request, {[&](std::int64_t steps) {
                                               report.steps = steps;
                                               send();
                                             },
                                             [&](const EpochResult& epoch) { curve.add(epoch); }});
    curve.complete();
    report.accuracy = last.eval_accuracy;
    report.loss = last.eval_loss;
  }

  void take_report() {
    constexpr int kPatienceMs = 500;
    pollfd reports{pipe_[0], POLLIN, 0};
    if (poll(&reports, 1, kPatienceMs) <= 0) return drop_killed();
    Report report{};
    const ssize_t got = read(pipe_[0], &report, sizeof report);
    if (got != static_cast<ssize_t>(sizeof report)) return;  // a signal
    const PlannedRun& run = plan_[static_cast<std::size_t>(report.run)];
    progress_.take(report, run.name());
    if (!report.ended) return;
    const auto child = running_.find(report.run);
    if (child != running_.end()) waitpid(child->second, nullptr, 0);
    running_.erase(report.run);
    if (report.failed) ++failed_;
  }

  /// Runs that a signal ended, such as those the system stops for want of memory, report nothing.
  void drop_killed() {
    for (auto child = running_.begin(); child != running_.end();) {
      int status = 0;
      const bool killed =
          waitpid(child->second, &status, WNOHANG) == child->second && WIFSIGNALED(status);
      if (killed) {
        (void)std::fprintf(stderr, "stcsim train: %s failed: ended by signal %d\n",
                           plan_[static_cast<std::size_t>(child->first)].name().c_str(),
                           WTERMSIG(status));
        ++failed_;
      }
      child = killed ? running_.erase(child) : std::next(child);
    }
  }

  [[noreturn]] void stop() {
    for (const auto& [run, child] : running_) kill(child, SIGKILL);
    for (const auto& [run, child] : running_) waitpid(child, nullptr, 0);
    throw Interrupted(caught_signal);
  }

  const Experiment& experiment_;
  const PoolOptions& options_;
  std::unique_ptr<Task> task_;
  std::vector<PlannedRun> plan_;
  RunProgress progress_;
  std::array<int, 2> pipe_{};
  std::map<int, pid_t> running_;  // by index in the plan
  std::int64_t failed_ = 0;
};

}  // namespace

std::int64_t train_all(const Experiment& experiment, const PoolOptions& options) {
  return Pool(experiment, options).run();
}

}  // namespace stcsim::training
