#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace stcsim {

/// Threads of a warp.
inline constexpr std::int64_t kWarpThreads = 32;

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

/// Thousandths of a cycle: the mean of lengths that are whole cycles. Never negative.
class Millicycles {
 public:
  constexpr Millicycles() = default;
  constexpr explicit Millicycles(std::int64_t count) : count_(count) {
    if (count < 0) throw std::logic_error("negative length of time");
  }
  [[nodiscard]] constexpr std::int64_t count() const { return count_; }

  friend constexpr auto operator<=>(Millicycles, Millicycles) = default;

 private:
  std::int64_t count_ = 0;
};

}  // namespace stcsim
