#pragma once

#include <cstddef>
#include <cstdint>

namespace stcsim {

/// A non-negative count or offset as the standard containers want it.
[[nodiscard]] constexpr std::size_t as_size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t dividend, std::int64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

[[nodiscard]] constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return ceil_div(value, multiple) * multiple;
}

}  // namespace stcsim
