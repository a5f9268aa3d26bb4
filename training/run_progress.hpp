#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace stcsim::training {

/// The progress of a run.
struct Report {
  int run = 0;  // index
  std::int64_t steps = 0;
  bool ended = false;
  double accuracy = 0;  // of the last epoch, once it has ended
  double loss = 0;
  bool failed = false;
};

/// Says on standard error how far all runs are: a line for each that ended, and on a terminal a
/// line that changes.
class RunProgress {
 public:
  RunProgress(std::int64_t steps, std::int64_t runs);
  ~RunProgress();
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  void take(const Report& report, const std::string& name);

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::string time_left() const;
  void wipe();
  void draw();

  bool on_terminal_;
  bool drawn_ = false;
  std::int64_t steps_;
  std::int64_t runs_;
  std::int64_t ended_ = 0;
  std::int64_t done_ = 0;  // steps of all runs
  std::map<int, std::int64_t> steps_of_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point last_drawn_;
};

}  // namespace stcsim::training
