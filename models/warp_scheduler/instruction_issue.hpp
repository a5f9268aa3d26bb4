#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/base/state_visitor.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// The issue port of one sub-core's tensor core (or vector unit). Warps offer batches of
/// independent instructions; instructions of the batches present are issued in turn, one every
/// `interval` cycles, and a bubble later if one directly follows another of the same batch. Bubbles
/// are whole cycles; where their mean is not, the sum of those in a row is the rounded one. Between
/// two batches of a warp other instructions stand (fragment loads, the loop's own), which hide the
/// bubble. State changes are computed in closed form between the cycles at which a batch
/// arrives or ends, so a batch of any size costs two activations and is exact to the instruction.
class InstructionIssue {
 public:
  /// @param between_warps  bubbles are also there where the batches of two warps are issued in turn
  /// @param whole_batches  a batch is issued to its end before another begins
  void configure(Cycles interval, Millicycles same_warp_bubble, bool between_warps = false,
                 bool whole_batches = false);

  /// Adds a batch of `count` >= 1 instructions of `warp` at `now`; run_until(now) was called
  /// before.
  void add(std::int64_t warp, std::int64_t count, Cycle now);

  /// Issues everything due before `now`. Warps whose batches have ended by `now` (the interval of
  /// their last instruction is over) are appended to `ended`.
  void run_until(Cycle now, std::vector<std::int64_t>& ended);

  /// For pipelines that pass instructions event by event: when the next one is due, kNever if there
  /// is none,
  [[nodiscard]] Cycle next_due() const { return batches_.empty() ? kNever : first_issue(); }
  /// and the same but for the bubble, which then is the multipliers' to wait.
  [[nodiscard]] Cycle next_free() const {
    return batches_.empty() ? kNever : std::max(free_at_, added_at_);
  }
  struct Issued {
    std::int64_t warp = 0;
    /// Of its batch, itself among them.
    std::int64_t remaining = 0;
    Cycles bubble;
  };
  /// What would be issued next; there is one.
  [[nodiscard]] Issued next() const {
    return {batches_.front().warp, batches_.front().remaining, Cycles(bubble())};
  }
  /// Issues it at `now`, for so long an interval.
  void issue_next(Cycle now, Cycles interval);
  /// When the interval of a batch's last instruction is over; kNever if there is none.
  [[nodiscard]] Cycle end_of_last() const { return ending_warp_ >= 0 ? free_at_ : kNever; }
  /// Of the last one issued.
  [[nodiscard]] Cycles interval() const { return Cycles(interval_); }
  /// Appends the warp whose last instruction's interval is over by `now`.
  void report_end(Cycle now, std::vector<std::int64_t>& ended);

  /// When the next batch ends, if no other arrives; kNever if there is none.
  [[nodiscard]] Cycle next_end() const;

  /// True if no batch is left and the last one has ended.
  [[nodiscard]] bool idle() const { return batches_.empty() && ending_warp_ < 0; }
  [[nodiscard]] std::int64_t issued() const { return issued_; }
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    visit_size(visitor, batches_);
    for (Batch& batch : batches_) {
      visitor.value(batch.warp);
      visitor.value(batch.remaining);
    }
    visitor.value(interval_);
    visitor.value(last_warp_);
    visitor.value(phase_);
    visitor.value(ending_warp_);
    if (batches_.empty()) {
      visitor.deadline(added_at_);
    } else {
      visitor.time(added_at_);
    }
    if (!idle()) {
      visitor.time(free_at_);
    } else {
      visitor.deadline(free_at_);
    }
    visitor.counter(issued_);
  }
  [[nodiscard]] bool operator==(const InstructionIssue&) const = default;

 private:
  static constexpr std::int64_t kHalf = 500;  // sums are rounded to the nearest

  struct Batch {
    std::int64_t warp;
    std::int64_t remaining;
    friend bool operator==(const Batch&, const Batch&) = default;
  };

  [[nodiscard]] Cycle first_issue() const;
  /// Batches that are issued in turn: the first so many.
  [[nodiscard]] std::int64_t in_turn() const {
    return whole_batches_ ? 1 : static_cast<std::int64_t>(batches_.size());
  }
  [[nodiscard]] bool follows_bubble() const {
    return between_warps_ ? last_warp_ >= 0 : batches_.front().warp == last_warp_;
  }
  /// The same as phase_, after the next issue.
  [[nodiscard]] std::int64_t phase_at_first_issue() const;
  /// Mean distance of two issues, millicycles.
  [[nodiscard]] std::int64_t spacing() const;
  /// From the next issue to the one `count` issues later, if no batch comes or ends.
  [[nodiscard]] Cycles distance(std::int64_t count) const;
  /// Instructions issued before `now`, if no batch comes or ends; the next one is.
  [[nodiscard]] std::int64_t issues_before(Cycle now) const;
  /// Instructions that are issued before one that ends its batch.
  [[nodiscard]] std::int64_t issues_before_end() const;
  /// Issues `count` instructions, none of which ends its batch.
  void issue_in_turn(std::int64_t count);
  /// Issues the last instruction of the batch in front.
  void issue_last_of_front();
  /// What the front waits, if it directly follows one of its batch.
  [[nodiscard]] std::int64_t bubble() const {
    return follows_bubble() ? (phase_ + bubble_millicycles_) / kMilli : 0;
  }

  static constexpr std::int64_t kMilli = 1000;
  std::int64_t interval_ = 1;
  std::int64_t bubble_millicycles_ = 0;
  bool between_warps_ = false;
  bool whole_batches_ = false;
  std::vector<Batch> batches_;   // the front issues next
  Cycle free_at_;                // end of the last instruction's interval
  Cycle added_at_;               // when the last batch came: nothing is issued before
  std::int64_t last_warp_ = -1;  // issued last, in the middle of its batch
  std::int64_t phase_ = kHalf;   // millicycles the mean bubbles in a row have come beyond the whole
  std::int64_t ending_warp_ = -1;  // its last instruction has been issued, its interval is not over
  std::int64_t issued_ = 0;
};

}  // namespace stcsim
