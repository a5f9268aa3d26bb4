#include "models/base/stage_queue.hpp"

#include <algorithm>
#include <string>

#include "common/error.hpp"

namespace stcsim {

void StageQueue::clear() {
  waiting_.clear();
  free_at_ = Cycle();
  metadata_bytes_ = 0;
  kept_ = blocked_ = Cycles();
  moved_bytes_ = 0;
}

void StageQueue::push(const StageMessage& message, Cycle now) {
  if (!has_room(now)) {
    throw SimulationError("an instruction finds no room in a queue of " + std::to_string(depth_));
  }
  waiting_.push_back(message);
}

Cycle StageQueue::next_turn(Cycle now) const {
  if (waiting_.empty()) return kNever;
  const Cycle turn = std::max(free_at_, waiting_.front().first);
  return turn > now ? turn : kNever;  // else it waits for another stage
}

StageMessage StageQueue::pop() {
  const StageMessage message = waiting_.front();
  waiting_.erase(waiting_.begin());
  return message;
}

void StageQueue::keep(StageMessage& message, Cycles own, Cycle now) {
  blocked_ += now - std::max(message.first, free_at_);
  message.first = now;
  message.last = std::max(message.last, now + own);
  free_at_ = own > Cycles() ? message.last : now;
  kept_ += own;
  metadata_bytes_ = message.work.metadata_bytes;
}

std::int64_t StageQueue::metadata_bytes(Cycle now) const {
  std::int64_t bytes = free_at_ > now ? metadata_bytes_ : 0;
  for (const StageMessage& message : waiting_) bytes += message.work.metadata_bytes;
  return bytes;
}

void StageQueue::put_off(StageMessage& message, Cycles wait) {
  message.first += wait;
  message.last += wait;
  free_at_ += wait;
}

}  // namespace stcsim
