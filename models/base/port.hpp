#pragma once

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

}  // namespace stcsim
