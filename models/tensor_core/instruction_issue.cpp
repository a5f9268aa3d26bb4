#include "models/tensor_core/instruction_issue.hpp"

#include <algorithm>
#include <utility>

namespace stcsim {

void InstructionIssue::configure(Cycles interval, Cycles same_warp_bubble) {
  *this = InstructionIssue();
  interval_ = interval.count();
  bubble_ = same_warp_bubble.count();
}

void InstructionIssue::add(std::int64_t warp, std::int64_t count, Cycle now) {
  settle(now);
  added_at_ = now;
  batches_.push_back({warp, count});
  // A warp that does not have to wait out the bubble goes first.
  if (batches_.size() == 2 && batches_.front().warp == last_warp_) {
    std::swap(batches_.front(), batches_.back());
  }
}

Cycle InstructionIssue::first_issue() const {
  const bool follows_itself = batches_.front().warp == last_warp_;
  return std::max(follows_itself ? free_at_ + Cycles(bubble_) : free_at_, added_at_);
}

Cycles InstructionIssue::spacing() const {
  return Cycles(batches_.size() == 1 ? interval_ + bubble_ : interval_);
}

void InstructionIssue::issue_rounds(std::int64_t rounds) {
  const auto present = static_cast<std::int64_t>(batches_.size());
  free_at_ = first_issue() + spacing() * (rounds * present - 1) + Cycles(interval_);
  last_warp_ = batches_.back().warp;
  for (Batch& batch : batches_) batch.remaining -= rounds;
  issued_ += rounds * present;
}

void InstructionIssue::issue_front() {
  free_at_ = first_issue() + Cycles(interval_);
  Batch front = batches_.front();
  batches_.erase(batches_.begin());
  last_warp_ = front.warp;
  ++issued_;
  if (--front.remaining > 0) {
    batches_.push_back(front);
  } else {
    ending_warp_ = front.warp;
  }
}

void InstructionIssue::run_until(Cycle now, std::vector<std::int64_t>& ended) {
  report_end(now, ended);
  while (!batches_.empty() && first_issue() < now) {
    const auto present = static_cast<std::int64_t>(batches_.size());
    const std::int64_t slots = cycles_for((now - first_issue()).count(), spacing().count()).count();
    const std::int64_t fewest =
        std::min_element(batches_.begin(), batches_.end(), [](const Batch& a, const Batch& b) {
          return a.remaining < b.remaining;
        })->remaining;
    const std::int64_t rounds = std::min(slots / present, fewest - 1);
    if (rounds > 0) {
      issue_rounds(rounds);
    } else {
      issue_front();
      report_end(now, ended);
    }
  }
}

void InstructionIssue::report_end(Cycle now, std::vector<std::int64_t>& ended) {
  if (ending_warp_ < 0 || free_at_ > now) return;
  ended.push_back(ending_warp_);
  ending_warp_ = -1;
}

Cycle InstructionIssue::next_end() const {
  if (ending_warp_ >= 0) return free_at_;
  if (batches_.empty()) return kNever;
  const auto present = static_cast<std::int64_t>(batches_.size());
  std::int64_t last_slot = -1;
  for (std::int64_t turn = 0; turn < present; ++turn) {
    const std::int64_t remaining = batches_[static_cast<std::size_t>(turn)].remaining;
    const std::int64_t slot = (remaining - 1) * present + turn;
    if (last_slot < 0 || slot < last_slot) last_slot = slot;
  }
  return first_issue() + spacing() * last_slot + Cycles(interval_);
}

}  // namespace stcsim
