#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/data_type.hpp"

namespace stcsim::test {

/// What the publications say of a floating-point format: field widths and bias.
struct Layout {
  DataType type;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_infinity;
  int unused_low_bits;
  bool has_nan = true;

  /// Non-negative patterns, those of infinity and NaN included.
  [[nodiscard]] std::uint32_t patterns() const { return 1U << (exponent_bits + mantissa_bits); }
  [[nodiscard]] std::uint32_t sign_bit() const { return patterns() << unused_low_bits; }
  /// Patterns that stand for finite numbers are [0, this).
  [[nodiscard]] std::uint32_t finite_patterns() const {
    if (!has_nan) return patterns();
    return has_infinity ? patterns() - (1U << mantissa_bits) : patterns() - 1;
  }
};

inline const std::vector<Layout> kSmallLayouts{
    {DataType::fp16, 5, 10, 15, true, 0},    {DataType::bf16, 8, 7, 127, true, 0},
    {DataType::tf32, 8, 10, 127, true, 13},  {DataType::fp8_e4m3, 4, 3, 7, false, 0},
    {DataType::fp8_e5m2, 5, 2, 15, true, 0}, {DataType::nvfp4, 2, 1, 1, false, 0, false},
};
inline const Layout kFp32Layout{DataType::fp32, 8, 23, 127, true, 0};

/// Value of a non-negative pattern as if there were no infinity and no NaN.
inline double finite_value_of(const Layout& layout, std::uint32_t pattern) {
  const int exponent = static_cast<int>(pattern >> layout.mantissa_bits);
  const double fraction =
      std::ldexp(pattern & ((1U << layout.mantissa_bits) - 1), -layout.mantissa_bits);
  if (exponent == 0) return std::ldexp(fraction, 1 - layout.bias);
  return std::ldexp(1.0 + fraction, exponent - layout.bias);
}

/// Value of a non-negative pattern.
inline double value_of(const Layout& layout, std::uint32_t pattern) {
  if (pattern < layout.finite_patterns()) return finite_value_of(layout, pattern);
  const bool infinite = layout.has_infinity && pattern == layout.finite_patterns();
  return infinite ? std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::quiet_NaN();
}

/// Halfway between a finite pattern's number and the next larger one; for the largest, where the
/// next one would be.
inline double middle_above(const Layout& layout, std::uint32_t pattern) {
  return (finite_value_of(layout, pattern) + finite_value_of(layout, pattern + 1)) / 2;
}

/// The word nearest to a finite number, found by bisection among the format's numbers.
inline std::uint32_t nearest_word(const Layout& layout, double value) {
  const double magnitude = std::abs(value);
  std::uint32_t low = 0;
  std::uint32_t high = layout.finite_patterns();
  while (high - low > 1) {
    const std::uint32_t pattern = low + (high - low) / 2;
    (finite_value_of(layout, pattern) <= magnitude ? low : high) = pattern;
  }
  const double middle = middle_above(layout, low);
  const bool up = magnitude > middle || (magnitude == middle && low % 2 == 1);
  std::uint32_t pattern = low + (up ? 1 : 0);
  if (pattern == layout.finite_patterns() && !layout.has_infinity) --pattern;
  return (pattern << layout.unused_low_bits) | (std::signbit(value) ? layout.sign_bit() : 0);
}

}  // namespace stcsim::test
