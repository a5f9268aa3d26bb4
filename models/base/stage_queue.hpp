#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/stage_message.hpp"
#include "models/base/state_visitor.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// The messages in front of a stage of a sub-core, the one that keeps it at work, and where its
/// cycles went. It is open where instructions pass event by event.
class StageQueue {
 public:
  /// So many messages may wait; nothing: rigid, a message finds the stage free or is not sent.
  using Depth = std::optional<std::int64_t>;

  void open(const Depth& depth) {
    is_open_ = true;
    depth_ = depth.value_or(0);
  }
  [[nodiscard]] bool is_open() const { return is_open_; }
  /// Forgets what has been, for a launch.
  void clear();

  [[nodiscard]] bool has_room(Cycle now) const {
    return std::ssize(waiting_) < depth_ || is_idle(now);
  }
  [[nodiscard]] bool is_idle(Cycle now) const { return waiting_.empty() && free_at_ <= now; }
  /// Throws SimulationError if there is no room: what sends has to ask before.
  void push(const StageMessage& message, Cycle now);
  /// Whether the stage is free and a message there.
  [[nodiscard]] bool is_due(Cycle now) const {
    return !waiting_.empty() && free_at_ <= now && waiting_.front().first <= now;
  }
  [[nodiscard]] Cycle next_turn(Cycle now) const;
  /// When the stage is no longer kept; kNever if it is not.
  [[nodiscard]] Cycle next_free(Cycle now) const { return free_at_ > now ? free_at_ : kNever; }
  [[nodiscard]] const StageMessage& front() const { return waiting_.front(); }
  StageMessage pop();
  /// The stage is at work on the message from `now` on: for `own` cycles, and until its last byte
  /// is there. It leaves with its first byte at once, with its last when the stage is free again. A
  /// message that takes no time passes by.
  void keep(StageMessage& message, Cycles own, Cycle now);
  /// Bytes of metadata of messages that wait, and of the one that keeps the stage.
  [[nodiscard]] std::int64_t metadata_bytes(Cycle now) const;
  void put_off(StageMessage& message, Cycles wait);
  /// It is kept until then by the message that it is at work on, for which there is no way on in
  /// this cycle if it stalls.
  void keep_until(Cycle end, bool stalls) {
    free_at_ = end;
    if (stalls) blocked_ += kOneCycle;
  }
  void count_bytes(std::int64_t bytes) { moved_bytes_ += bytes; }

  [[nodiscard]] Cycles kept() const { return kept_; }
  /// Cycles in which a message was there and the stage free, but not the next.
  [[nodiscard]] Cycles blocked() const { return blocked_; }
  [[nodiscard]] std::int64_t moved_bytes() const { return moved_bytes_; }

  template <class Visitor>
  void visit_state(Visitor& visitor) {
    visit_size(visitor, waiting_);
    for (StageMessage& message : waiting_) visit_message(visitor, message);
    visitor.deadline(free_at_);
    visitor.value(metadata_bytes_);
    visitor.counter(kept_);
    visitor.counter(blocked_);
    visitor.counter(moved_bytes_);
  }

 private:
  bool is_open_ = false;
  std::int64_t depth_ = 0;
  std::vector<StageMessage> waiting_;
  Cycle free_at_;
  std::int64_t metadata_bytes_ = 0;  // of the message that keeps the stage
  Cycles kept_;
  Cycles blocked_;
  std::int64_t moved_bytes_ = 0;
};

}  // namespace stcsim
