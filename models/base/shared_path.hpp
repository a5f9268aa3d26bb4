#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "models/base/beat_server.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// A path of reads and writes. Reads go first come, first served; writes use the cycles that they
/// leave, as long as no more of them wait than may.
///
/// A kernel leaves its last writes to the next one, and so finds some of the one before. It starts
/// with as many as one like itself could leave: as much as it writes, or as may wait.
class SharedPath {
 public:
  static constexpr Hooks kHooks{.visit_statistics = true};

  /// Writes that wait. As long as there are some, and not too many, how many there are makes no
  /// difference to anything else.
  struct Backlog {
    std::int64_t bytes = 0;
    /// Since the last call: how close it came to being empty and to being full, in bytes; 0 and
    /// less: it was, so that bytes matter.
    std::int64_t above_empty = 0;
    std::int64_t below_full = 0;
  };

  /// @param most_waiting  bytes of writes that may wait
  SharedPath(std::int64_t bytes_per_clk, std::int64_t most_waiting)
      : bytes_per_clk_(bytes_per_clk), most_waiting_(most_waiting), path_(bytes_per_clk) {}

  /// Begins a launch that writes so many bytes.
  void launch(std::int64_t bytes) {
    path_.reset();
    carried_in_ = waiting_ = std::min(bytes, most_waiting_);
    above_empty_ = below_full_ = kFar;
  }

  /// As of BeatServer::reserve(), behind what was written before `now`.
  Transfer read(const Transfer& in, std::int64_t bytes, Cycle now) {
    write_when_idle(now);
    return path_.reserve(in, bytes);
  }

  void write(std::int64_t bytes, Cycle now) {
    if (bytes == 0) return;
    write_when_idle(now);
    above_empty_ = std::min(above_empty_, waiting_);
    if (waiting_ == 0) path_.rest_until(now);  // no write before its arrival
    waiting_ += bytes;
    const std::int64_t too_many = waiting_ - most_waiting_;
    below_full_ = std::min(below_full_, 1 - too_many);
    if (too_many <= 0) return;
    (void)path_.reserve({now, now}, too_many);
    waiting_ -= too_many;
  }

  /// Accounts for the writes served before `now`.
  void write_when_idle(Cycle now) {
    if (path_.free_at() >= now) return;
    above_empty_ = std::min(above_empty_, waiting_);
    if (waiting_ == 0) return;
    const Cycle since = path_.free_at();
    const std::int64_t written = std::min(waiting_, (now - since).count() * bytes_per_clk_);
    (void)path_.reserve({since, since}, written);
    waiting_ -= written;
    above_empty_ = std::min(above_empty_, waiting_);
  }

  [[nodiscard]] Backlog take_backlog() {
    return {waiting_, std::exchange(above_empty_, kFar), std::exchange(below_full_, kFar)};
  }
  /// Bytes that were accepted and are still to be written.
  [[nodiscard]] std::int64_t waiting_bytes() const { return waiting_; }
  /// When no more writes wait than did at the launch, if nothing else comes.
  [[nodiscard]] Cycle ends_at() const {
    return path_.free_at() +
           cycles_for(std::max<std::int64_t>(0, waiting_ - carried_in_), bytes_per_clk_);
  }
  /// With what the kernel has read and written.
  [[nodiscard]] Cycles busy_until(Cycle end) const {
    // Leaving over less than was found would not have been found in the long run.
    const std::int64_t found = std::max<std::int64_t>(0, carried_in_ - waiting_);
    return path_.busy_until(end) - Cycles(found / bytes_per_clk_);
  }
  template <class Visitor>
  void visit_statistics(Visitor& visitor, Cycle end) const {
    const Cycles busy = busy_until(end);
    visitor.bucket("busy", busy);
    visitor.bucket("idle", (end - Cycle()) - busy);
  }

  /// Without the backlog's bytes, which grow like a counter.
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    path_.visit_state(visitor);
    visitor.counter(waiting_);
  }

 private:
  static constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

  std::int64_t bytes_per_clk_;
  std::int64_t most_waiting_;
  BeatServer path_;
  std::int64_t waiting_ = 0;     // bytes
  std::int64_t carried_in_ = 0;  // of them, at the launch
  std::int64_t above_empty_ = kFar;
  std::int64_t below_full_ = kFar;
};

}  // namespace stcsim
