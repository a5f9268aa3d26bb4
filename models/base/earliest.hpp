#pragma once

#include <algorithm>
#include <optional>

#include "models/base/time.hpp"

namespace stcsim {

/// The earliest of several times, each of which may be kNever.
template <class... Others>
[[nodiscard]] constexpr Cycle earliest(Cycle first, Others... others) {
  ((first = std::min(first, others)), ...);
  return first;
}

/// Nothing in place of kNever.
[[nodiscard]] constexpr std::optional<Cycle> if_ever(Cycle at) {
  return at == kNever ? std::nullopt : std::optional(at);
}

}  // namespace stcsim
