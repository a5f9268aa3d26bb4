#pragma once

#include <cstdint>

#include "models/base/inbox.hpp"
#include "models/base/port.hpp"
#include "models/base/sm_groups.hpp"
#include "models/base/wakeable.hpp"

namespace stcsim {

/// Point-to-point wire: puts messages into the consumer's inbox and wakes it on arrival.
template <class Message>
class StreamChannel : public OutPort<Message> {
 public:
  /// @param sender  decides among messages of several senders that arrive in the same cycle
  StreamChannel(Inbox<Message>& inbox, Wakeable& consumer, std::int64_t sender)
      : inbox_(inbox), consumer_(consumer), sender_(sender) {}

  void send(Cycle at, const Message& message) override {
    inbox_.push(at, sender_, message);
    consumer_.wake(at);
  }

 private:
  Inbox<Message>& inbox_;
  Wakeable& consumer_;
  std::int64_t sender_;
};

/// Wire to a unit that need not be woken by what it does not wait for: it finds such a message when
/// it acts anyway.
template <class Message, class Core>
class LazyChannel : public OutPort<Message> {
 public:
  LazyChannel(Inbox<Message>& inbox, Wakeable& consumer, const Core& core)
      : inbox_(inbox), consumer_(consumer), core_(core) {}

  void send(Cycle at, const Message& message) override {
    inbox_.push(at, 0, message);
    if (core_.awaits(message)) consumer_.wake(at);
  }

 private:
  Inbox<Message>& inbox_;
  Wakeable& consumer_;
  const Core& core_;
};

/// Wire out of an SM: the message is sent for all members of the SM's group.
template <class Message>
class GroupChannel : public OutPort<Message> {
 public:
  GroupChannel(Inbox<Message>& inbox, Wakeable& consumer, const SmGroups& groups, std::int64_t sm)
      : inbox_(inbox), consumer_(consumer), groups_(groups), sm_(sm) {}

  void send(Cycle at, const Message& message) override {
    Message for_all = message;
    for_all.sms = groups_.members(sm_);
    inbox_.push(at, sm_, for_all);
    consumer_.wake(at);
  }

 private:
  Inbox<Message>& inbox_;
  Wakeable& consumer_;
  const SmGroups& groups_;
  std::int64_t sm_;
};

}  // namespace stcsim
