#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "sim/study/study.hpp"

namespace stcsim {

/// "[#########---------------------]  30 %  12/41 points, 1:05 left", without a line break. The
/// time left assumes that work goes on at the pace it had; it is left out before the first point.
[[nodiscard]] std::string progress_line(const StudyProgress& progress,
                                        std::chrono::duration<double> elapsed,
                                        std::string_view unit = "points");

/// Draws progress on standard error, as a line that is wiped at the end of its life; where that is
/// no terminal, only texts of show(), a line each half a minute.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(const StudyProgress& progress, std::string_view unit = "points");
  /// Draws a text instead of a bar.
  void show(const std::string& text);
  /// Makes room for a message; the next update draws the line again.
  void wipe();

 private:
  using Clock = std::chrono::steady_clock;

  bool on_terminal_;
  bool drawn_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point last_drawn_ = started_;
};

/// Draws "what, 12 s" on standard error if that is a terminal, from the first second on: for work
/// that does not say how far it is. The line is wiped at the end of its life.
class Stopwatch {
 public:
  explicit Stopwatch(std::string what);
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  void show(const std::string& what);

  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace stcsim
