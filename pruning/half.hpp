#pragma once

#include <bit>
#include <cstdint>

namespace stcsim::pruning {

/// The value of an IEEE 754 binary16 number; every one is also an fp32 number. NaN keeps its
/// payload.
[[nodiscard]] inline float half_to_float(std::uint16_t bits) {
  constexpr float kSmallestSubnormal = 0x1p-24F;
  const std::uint32_t sign = (std::uint32_t{bits} & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fU;
  const std::uint32_t mantissa = bits & 0x3ffU;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * kSmallestSubnormal;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  const std::uint32_t wide = exponent == 0x1f ? 0xffU : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

}  // namespace stcsim::pruning
