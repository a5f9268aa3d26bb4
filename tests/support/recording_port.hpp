#pragma once

#include <cstdint>
#include <vector>

#include "models/base/inbox.hpp"

namespace stcsim::test {

/// An OutPort that keeps what was sent, in the order of sending, with the cycle of arrival.
template <class Message>
class RecordingPort : public OutPort<Message> {
 public:
  struct Sent {
    Cycle at;
    Message message;
  };

  void send(Cycle at, const Message& message) override { sent.push_back({at, message}); }

  /// Cycles of arrival.
  [[nodiscard]] std::vector<std::int64_t> arrivals() const {
    std::vector<std::int64_t> all;
    for (const Sent& one : sent) all.push_back(one.at.index());
    return all;
  }

  std::vector<Sent> sent;
};

}  // namespace stcsim::test
