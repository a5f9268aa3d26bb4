#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/time.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {

/// Data that flows from one place to the next: its first beat is there at `first`, all of it at
/// `last`.
struct Transfer {
  Cycle first;
  Cycle last;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

/// A shared path that carries `bytes_per_clk`, first come, first served, in whole cycles. Cut
/// through: what has not yet arrived as a whole is passed on as it comes.
class BeatServer {
 public:
  static constexpr Hooks kHooks{.visit_statistics = true};

  explicit BeatServer(std::int64_t bytes_per_clk) : bytes_per_clk_(bytes_per_clk) {}

  /// Queues `bytes` that arrive as `in` says. Returns how they leave: each beat a cycle after it
  /// was served.
  Transfer reserve(const Transfer& in, std::int64_t bytes) {
    if (bytes == 0) return {in.first + kOneCycle, in.last + kOneCycle};
    const Cycles length = cycles_for(bytes, bytes_per_clk_);
    const Cycle start = std::max(free_at_, in.first);
    free_at_ = start + length;
    busy_ += length;
    return {start + kOneCycle, std::max(free_at_, in.last + kOneCycle)};
  }

  [[nodiscard]] Cycle free_at() const { return free_at_; }
  /// Nothing starts before `now`.
  void rest_until(Cycle now) { free_at_ = std::max(free_at_, now); }
  /// Cycles the path was in use before `end`.
  [[nodiscard]] Cycles busy_until(Cycle end) const {
    return free_at_ > end ? busy_ - (free_at_ - end) : busy_;
  }
  template <class Visitor>
  void visit_statistics(Visitor& visitor, Cycle end) const {
    const Cycles busy = busy_until(end);
    visitor.bucket("busy", busy);
    visitor.bucket("idle", (end - Cycle()) - busy);
  }

  template <class Visitor>
  void visit_state(Visitor& visitor) {
    visitor.deadline(free_at_);
    visitor.counter(busy_);
  }

  void reset() { *this = BeatServer(bytes_per_clk_); }

 private:
  std::int64_t bytes_per_clk_;
  Cycle free_at_;
  Cycles busy_;  // since reset
};

/// One of the equal parts of a memory (slices of a cache, channels of DRAM). Addresses go round the
/// parts piece by piece, so a request gives each the same to do, but for a piece; each has its
/// share of the bandwidth.
class InterleavedPart {
 public:
  static constexpr Hooks kHooks{};

  /// @param parts  that there are
  /// @param piece_bytes  line, burst
  /// @param bytes_per_clk  of all parts together
  InterleavedPart(std::int64_t parts, std::int64_t piece_bytes, std::int64_t bytes_per_clk)
      : round_bytes_(parts * piece_bytes), bytes_per_clk_(bytes_per_clk) {}

  /// Cycles of the part with most pieces of a request.
  [[nodiscard]] Cycles busiest(std::int64_t bytes) const {
    const std::int64_t rounds = (bytes + round_bytes_ - 1) / round_bytes_;
    return cycles_for(rounds * round_bytes_, bytes_per_clk_);
  }

 private:
  std::int64_t round_bytes_;
  std::int64_t bytes_per_clk_;
};

}  // namespace stcsim
