#include "cli/base/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace stcsim {
namespace {

constexpr std::int64_t kBarWidth = 30;
constexpr std::chrono::milliseconds kRedrawInterval{100};
constexpr std::chrono::seconds kPipedInterval{30};
constexpr std::string_view kWipe = "\r\x1b[K";

std::string duration_text(double seconds) {
  constexpr double kLongest = 359'999;  // 99:59:59
  const auto whole = std::int64_t{std::llround(std::min(seconds, kLongest))};
  const std::int64_t hours = whole / 3600;
  const std::int64_t minutes = whole / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

void draw(const std::string& text) {
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

}  // namespace

std::string progress_line(const StudyProgress& progress, std::chrono::duration<double> elapsed,
                          std::string_view unit) {
  const double done = progress.work > 0 ? std::min(progress.work_done / progress.work, 1.0) : 1.0;
  const auto filled = static_cast<std::int64_t>(done * static_cast<double>(kBarWidth));
  std::string line =
      fmt::format("[{:#<{}}{:-<{}}] {:3.0f} %  {}/{} {}", "", filled, "", kBarWidth - filled,
                  100 * done, progress.points_done, progress.points, unit);
  if (done > 0)
    line += fmt::format(", {} left", duration_text(elapsed.count() * (1 - done) / done));
  return line;
}

ProgressBar::ProgressBar() : on_terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  wipe();
}

void ProgressBar::update(const StudyProgress& progress, std::string_view unit) {
  if (on_terminal_) show(progress_line(progress, Clock::now() - started_, unit));
}

void ProgressBar::show(const std::string& text) {
  const Clock::time_point now = Clock::now();
  if (!on_terminal_) {
    if (now - last_drawn_ < kPipedInterval) return;
    draw(text + "\n");
  } else {
    if (drawn_ && now - last_drawn_ < kRedrawInterval) return;
    draw(std::string(kWipe) + text);
    drawn_ = true;
  }
  last_drawn_ = now;
}

void ProgressBar::wipe() {
  if (drawn_) draw(std::string(kWipe));
  drawn_ = false;
}

Stopwatch::Stopwatch(std::string what) {
  if (::isatty(STDERR_FILENO) != 1) return;
  thread_ = std::thread([this, what = std::move(what)] { show(what); });
}

Stopwatch::~Stopwatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Stopwatch::show(const std::string& what) {
  constexpr std::chrono::seconds kTick{1};
  std::unique_lock lock(mutex_);
  std::int64_t seconds = 0;
  while (!ended_.wait_for(lock, kTick, [this] { return is_over_; })) {
    draw(fmt::format("{}{}, {} s", kWipe, what, ++seconds));
  }
  if (seconds > 0) draw(std::string(kWipe));
}

}  // namespace stcsim
