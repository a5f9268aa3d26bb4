#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/time.hpp"

namespace stcsim {

/// The issue port of one sub-core's tensor core (or vector unit). Warps offer batches of independent
/// instructions; instructions of the batches present are issued in turn, one every `interval`
/// cycles, and `bubble` cycles later if the same warp issues twice in a row. State changes are
/// computed in closed form between the cycles at which a batch arrives or ends, so a batch of any
/// size costs two activations and is exact to the instruction.
class InstructionIssue {
 public:
  void configure(Cycles interval, Cycles same_warp_bubble);

  /// Adds a batch of `count` >= 1 instructions of `warp` at `now`; run_until(now) was called before.
  void add(std::int64_t warp, std::int64_t count, Cycle now);

  /// Issues everything due before `now`. Warps whose batches ended are appended to `ended`.
  void run_until(Cycle now, std::vector<std::int64_t>& ended);

  /// When the next batch ends (its last instruction has left the issue port), if no other arrives.
  [[nodiscard]] std::optional<Cycle> next_end() const;

  [[nodiscard]] bool idle() const { return batches_.empty(); }
  [[nodiscard]] std::int64_t issued() const { return issued_; }
  [[nodiscard]] bool operator==(const InstructionIssue&) const = default;

 private:
  struct Batch {
    std::int64_t warp;
    std::int64_t remaining;
    friend bool operator==(const Batch&, const Batch&) = default;
  };

  [[nodiscard]] Cycle first_issue() const;
  [[nodiscard]] Cycles spacing() const;
  void issue_rounds(std::int64_t rounds);
  void issue_front(std::vector<std::int64_t>& ended);

  std::int64_t interval_ = 1;
  std::int64_t bubble_ = 0;
  std::vector<Batch> batches_;  // the front issues next
  Cycle free_at_;               // end of the last instruction's interval
  std::int64_t last_warp_ = -1;
  std::int64_t issued_ = 0;
};

}  // namespace stcsim
