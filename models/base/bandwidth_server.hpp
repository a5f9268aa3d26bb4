#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/time.hpp"

namespace stcsim {

/// A shared path that carries `bytes_per_clk`, first come, first served. Exact: a transfer that
/// ends inside a cycle leaves the rest of that cycle to the next one, so that no bandwidth is lost
/// to rounding. Time is kept in units of 1/bytes_per_clk cycle.
class BandwidthServer {
 public:
  explicit BandwidthServer(std::int64_t bytes_per_clk) : bytes_per_clk_(bytes_per_clk) {}

  /// Queues a transfer that may start at `earliest`. Returns the first cycle at which all of it is
  /// through.
  Cycle reserve(Cycle earliest, std::int64_t bytes) {
    const std::int64_t start = std::max(free_at_, earliest.index() * bytes_per_clk_);
    free_at_ = start + bytes;
    served_bytes_ += bytes;
    return Cycle((free_at_ + bytes_per_clk_ - 1) / bytes_per_clk_);
  }

  /// Cycles the path was carrying data before `end`, rounded up. No transfer may start after `end`.
  [[nodiscard]] Cycles busy_until(Cycle end) const {
    const std::int64_t beyond = std::max<std::int64_t>(0, free_at_ - end.index() * bytes_per_clk_);
    return cycles_for(std::max<std::int64_t>(0, served_bytes_ - beyond), bytes_per_clk_);
  }

  template <class Visitor>
  void visit_state(Visitor& visitor) {
    Cycle whole(free_at_ / bytes_per_clk_);
    std::int64_t rest = free_at_ % bytes_per_clk_;
    const bool is_free = free_at_ <= visitor.origin().now.index() * bytes_per_clk_;
    visitor.deadline(whole);
    visitor.value(is_free ? 0 : rest);
    visitor.counter(served_bytes_);
    free_at_ = whole.index() * bytes_per_clk_ + rest;
  }

  void reset() { free_at_ = served_bytes_ = 0; }

 private:
  std::int64_t bytes_per_clk_;
  std::int64_t free_at_ = 0;       // in 1/bytes_per_clk cycles
  std::int64_t served_bytes_ = 0;  // since reset
};

}  // namespace stcsim
