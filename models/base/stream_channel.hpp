#pragma once

#include <cstdint>

#include "models/base/clockless_module.hpp"
#include "models/base/inbox.hpp"
#include "models/base/port.hpp"

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

}  // namespace stcsim
