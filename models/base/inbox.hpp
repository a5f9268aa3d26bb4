#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/time.hpp"

namespace stcsim {

/// Messages on their way to a unit, ordered by arrival; messages that arrive in the same cycle are
/// ordered by the number of their sender, those of one sender in the order they were sent. So the
/// order in which units happen to be evaluated never shows.
template <class Message>
class Inbox {
 public:
  void push(Cycle at, std::int64_t sender, const Message& message) {
    heap_.push_back({at, sender, next_sequence_++, message});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// Arrival of the next message.
  [[nodiscard]] std::optional<Cycle> next_arrival() const {
    if (heap_.empty()) return std::nullopt;
    return heap_.front().at;
  }
  /// The same of those messages for which `counts(message)` holds.
  template <class Counts>
  [[nodiscard]] std::optional<Cycle> next_arrival_if(Counts counts) const {
    std::optional<Cycle> next;
    for (const Entry& entry : heap_) {
      if ((!next || entry.at < *next) && counts(entry.message)) next = entry.at;
    }
    return next;
  }
  [[nodiscard]] bool has_message(Cycle now) const {
    return !heap_.empty() && heap_.front().at <= now;
  }

  /// Takes the next message; there must be one.
  Message pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Message message = heap_.back().message;
    heap_.pop_back();
    if (heap_.empty()) next_sequence_ = 0;
    return message;
  }

  /// Describes the messages in order of arrival; `visit_message(message)` describes one.
  template <class Visitor, class VisitMessage>
  void visit_state(Visitor& visitor, VisitMessage visit_message) {
    std::sort(heap_.begin(), heap_.end(),
              [](const Entry& a, const Entry& b) { return later(b, a); });  // still a heap
    visitor.value(heap_.size());
    for (Entry& entry : heap_) {
      visitor.time(entry.at);
      visitor.value(entry.sender);
      visit_message(entry.message);
    }
  }

  void clear() {
    heap_.clear();
    next_sequence_ = 0;
  }

 private:
  struct Entry {
    Cycle at;
    std::int64_t sender;
    std::int64_t sequence;
    Message message;
  };
  static bool later(const Entry& a, const Entry& b) {
    if (a.at != b.at) return a.at > b.at;
    if (a.sender != b.sender) return a.sender > b.sender;
    return a.sequence > b.sequence;
  }

  std::vector<Entry> heap_;
  std::int64_t next_sequence_ = 0;
};

}  // namespace stcsim
