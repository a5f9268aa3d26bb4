#pragma once

#include <concepts>
#include <optional>

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

/// A unit's core: does all that is due at `now` and says when it next has to act by itself.
template <class Core>
concept ClocklessCore = requires(Core core, Cycle now) {
  { core.advance(now) } -> std::same_as<std::optional<Cycle>>;
};

}  // namespace stcsim
