#include "training/run_progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace stcsim::training {
namespace {

void say(const std::string& text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

RunProgress::RunProgress(std::int64_t steps, std::int64_t runs)
    : on_terminal_(isatty(STDERR_FILENO) == 1), steps_(steps), runs_(runs) {}

RunProgress::~RunProgress() {
  wipe();
}

std::string RunProgress::time_left() const {
  const std::chrono::duration<double> elapsed = Clock::now() - started_;
  const double left = elapsed.count() * static_cast<double>(steps_ - done_) /
                      static_cast<double>(std::max<std::int64_t>(done_, 1));
  const auto seconds = static_cast<std::int64_t>(std::ceil(left));
  return fmt::format("{}:{:02} left", seconds / 60, seconds % 60);
}

void RunProgress::take(const Report& report, const std::string& name) {
  done_ += report.steps - steps_of_[report.run];
  steps_of_[report.run] = report.steps;
  if (report.ended && !report.failed) {
    wipe();
    ++ended_;
    const std::string what =
        std::isfinite(report.accuracy)
            ? fmt::format("accuracy {:.2f} %, loss {:.4f}", 100 * report.accuracy, report.loss)
            : "numbers no longer finite";
    say(fmt::format("{}/{} {}: {}, {}\n", ended_, runs_, name, what, time_left()));
  } else if (on_terminal_ && Clock::now() - last_drawn_ > std::chrono::milliseconds(200)) {
    draw();
  }
}

void RunProgress::wipe() {
  if (drawn_) say("\r\x1b[K");
  drawn_ = false;
}

void RunProgress::draw() {
  wipe();
  say(fmt::format("{:3} % of {} runs, {}", 100 * done_ / steps_, runs_, time_left()));
  drawn_ = true;
  last_drawn_ = Clock::now();
}

}  // namespace stcsim::training
