#include "models/warp_scheduler/instruction_issue.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace stcsim {

void InstructionIssue::configure(Cycles interval, Millicycles same_warp_bubble, bool between_warps,
                                 bool whole_batches) {
  *this = InstructionIssue();
  interval_ = interval.count();
  bubble_millicycles_ = same_warp_bubble.count();
  between_warps_ = between_warps;
  whole_batches_ = whole_batches;
}

void InstructionIssue::add(std::int64_t warp, std::int64_t count, Cycle now) {
  added_at_ = now;
  batches_.push_back({warp, count});
  // A warp that does not have to wait out the bubble goes first.
  if (!whole_batches_ && batches_.size() == 2 && batches_.front().warp == last_warp_) {
    std::swap(batches_.front(), batches_.back());
  }
}

Cycle InstructionIssue::first_issue() const {
  return std::max(free_at_ + Cycles(bubble()), added_at_);
}

std::int64_t InstructionIssue::phase_at_first_issue() const {
  return follows_bubble() ? (phase_ + bubble_millicycles_) % kMilli : kHalf;
}

std::int64_t InstructionIssue::spacing() const {
  return kMilli * interval_ + (in_turn() == 1 || between_warps_ ? bubble_millicycles_ : 0);
}

Cycles InstructionIssue::distance(std::int64_t count) const {
  return Cycles((phase_at_first_issue() + spacing() * count) / kMilli);
}

std::int64_t InstructionIssue::issues_before(Cycle now) const {
  const std::int64_t elapsed = kMilli * (now - first_issue()).count();
  return cycles_for(elapsed - phase_at_first_issue(), spacing()).count();
}

std::int64_t InstructionIssue::issues_before_end() const {
  const std::int64_t present = in_turn();
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  std::int64_t turn = 0;
  for (const Batch& batch : std::span(batches_).first(static_cast<std::size_t>(present))) {
    fewest = std::min(fewest, (batch.remaining - 1) * present + turn++);
  }
  return fewest;
}

void InstructionIssue::issue_in_turn(std::int64_t count) {
  const std::int64_t present = in_turn();
  const std::int64_t rounds = count / present;
  const std::int64_t rest = count - rounds * present;
  const std::int64_t phase = (phase_at_first_issue() + spacing() * (count - 1)) % kMilli;
  free_at_ = first_issue() + distance(count - 1) + Cycles(interval_);
  phase_ = phase;
  last_warp_ = batches_[static_cast<std::size_t>(rest > 0 ? rest - 1 : present - 1)].warp;
  for (Batch& batch : std::span(batches_).first(static_cast<std::size_t>(present))) {
    batch.remaining -= rounds;
  }
  const auto next = batches_.begin() + static_cast<std::ptrdiff_t>(rest);
  std::for_each(batches_.begin(), next, [](Batch& batch) { --batch.remaining; });
  std::rotate(batches_.begin(), next, batches_.end());
  issued_ += count;
}

void InstructionIssue::issue_last_of_front() {
  free_at_ = first_issue() + Cycles(interval_);
  ending_warp_ = batches_.front().warp;
  last_warp_ = -1;
  phase_ = kHalf;
  batches_.erase(batches_.begin());
  ++issued_;
}

void InstructionIssue::run_until(Cycle now, std::vector<std::int64_t>& ended) {
  report_end(now, ended);
  while (!batches_.empty() && first_issue() < now) {
    const std::int64_t due = issues_before(now);
    const std::int64_t undisturbed = std::min(due, issues_before_end());
    if (undisturbed > 0) issue_in_turn(undisturbed);
    if (undisturbed == due) return;
    issue_last_of_front();
    report_end(now, ended);
  }
}

void InstructionIssue::issue_next(Cycle now, Cycles interval) {
  phase_ = phase_at_first_issue();
  interval_ = interval.count();
  free_at_ = now + interval;
  ++issued_;
  Batch& front = batches_.front();
  last_warp_ = front.warp;
  if (--front.remaining > 0) {
    std::rotate(batches_.begin(), batches_.begin() + 1, batches_.end());
    return;
  }
  ending_warp_ = front.warp;
  last_warp_ = -1;
  phase_ = kHalf;
  batches_.erase(batches_.begin());
}

void InstructionIssue::report_end(Cycle now, std::vector<std::int64_t>& ended) {
  if (ending_warp_ < 0 || free_at_ > now) return;
  ended.push_back(ending_warp_);
  ending_warp_ = -1;
}

Cycle InstructionIssue::next_end() const {
  if (ending_warp_ >= 0) return free_at_;
  if (batches_.empty()) return kNever;
  return first_issue() + distance(issues_before_end()) + Cycles(interval_);
}

}  // namespace stcsim
