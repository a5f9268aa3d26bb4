#pragma once

#include "models/base/time.hpp"

namespace stcsim {

/// Something that can be asked to act at a later cycle.
class Wakeable {
 public:
  Wakeable() = default;
  Wakeable(const Wakeable&) = delete;
  Wakeable& operator=(const Wakeable&) = delete;
  virtual ~Wakeable() = default;
  virtual void wake(Cycle at) = 0;
};

}  // namespace stcsim
