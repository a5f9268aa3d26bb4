#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/time.hpp"

namespace stcsim {

/// A unit's way out: delivers messages to another unit's inbox. `at` must lie after the current
/// cycle: what one unit writes, another sees at the next cycle at the earliest.
template <class Message>
class OutPort {
 public:
  OutPort() = default;
  OutPort(const OutPort&) = delete;
  OutPort& operator=(const OutPort&) = delete;
  virtual ~OutPort() = default;
  virtual void send(Cycle at, const Message& message) = 0;
};

/// Messages on their way to a unit, ordered by arrival; messages that arrive in the same cycle are
/// ordered by the number of their sender, those of one sender in the order they were sent. So the
/// order in which units happen to be evaluated never shows.
///
/// Messages are mostly sent in the order in which they arrive, so they are kept sorted.
template <class Message>
class Inbox {
 public:
  void push(Cycle at, std::int64_t sender, const Message& message) {
    next_ = std::min(next_, at);
    entries_.push_back({at, sender, message});
    std::size_t place = entries_.size() - 1;
    if (place == first_ || !comes_before(entries_[place], entries_[place - 1])) return;
    const Entry entry = entries_[place];
    while (place > first_ && comes_before(entry, entries_[place - 1])) {
      entries_[place] = entries_[place - 1];
      --place;
    }
    entries_[place] = entry;
  }

  [[nodiscard]] bool empty() const { return first_ == entries_.size(); }
  /// Arrival of the next message; kNever if there is none.
  [[nodiscard]] Cycle next_arrival() const { return next_; }
  /// The same of those messages for which `counts(message)` holds.
  template <class Counts>
  [[nodiscard]] Cycle next_arrival_if(Counts counts) const {
    for (std::size_t place = first_; place < entries_.size(); ++place) {
      if (counts(entries_[place].message)) return entries_[place].at;
    }
    return kNever;
  }
  [[nodiscard]] bool has_message(Cycle now) const { return next_ <= now; }

  /// Takes the next message; there must be one.
  Message pop() {
    const Message message = entries_[first_++].message;
    if (empty()) {
      clear();
    } else if (first_ == kMostTaken) {
      entries_.erase(entries_.begin(), entries_.begin() + kMostTaken);
      first_ = 0;
    }
    if (!empty()) next_ = entries_[first_].at;
    return message;
  }

  /// Describes the messages in order of arrival; `visit_message(message)` describes one.
  template <class Visitor, class VisitMessage>
  void visit_state(Visitor& visitor, VisitMessage visit_message) {
    std::size_t waiting = entries_.size() - first_;
    visitor.value(waiting);
    if (waiting != entries_.size() - first_) entries_.resize(first_ + waiting);
    for (std::size_t place = first_; place < entries_.size(); ++place) {
      visitor.time(entries_[place].at);
      visitor.value(entries_[place].sender);
      visit_message(entries_[place].message);
    }
    if (!empty()) next_ = entries_[first_].at;
  }

  void clear() {
    entries_.clear();
    first_ = 0;
    next_ = kNever;
  }

 private:
  /// So many messages are taken before their places are given back.
  static constexpr std::size_t kMostTaken = 64;
  struct Entry {
    Cycle at;
    std::int64_t sender;
    Message message;
  };
  static bool comes_before(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at < b.at : a.sender < b.sender;
  }

  std::vector<Entry> entries_;  // taken ones, then sorted
  std::size_t first_ = 0;       // of those that wait
  Cycle next_ = kNever;         // arrival of that one
};

}  // namespace stcsim
