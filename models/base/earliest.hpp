#pragma once

#include <optional>

#include "models/base/time.hpp"

namespace stcsim {

/// The earlier of two times, either of which may be "never".
[[nodiscard]] inline std::optional<Cycle> earliest(std::optional<Cycle> a, std::optional<Cycle> b) {
  if (!a) return b;
  if (!b) return a;
  return *a < *b ? a : b;
}

}  // namespace stcsim
