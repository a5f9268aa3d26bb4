#pragma once

#include <cstdint>
#include <span>

#include "common/data_type.hpp"

namespace stcsim {

/// Bits of the value of `type` nearest to `value`, ties to even, in the low bits of the word.
///
/// fp16, fp32: IEEE 754-2019. bf16: the upper half of fp32. tf32: an fp32 word whose mantissa keeps
/// 10 bits (the low 13 bits are 0). fp8_e4m3: no infinities, too large values saturate to +-448,
/// NaN is 0x7f; fp8_e5m2: IEEE-like with infinities (Open Compute Project, "OCP 8-bit Floating
/// Point Specification (OFP8)", rev. 1.0, 2023). nvfp4: e2m1 alone, as with scales of 1; too large
/// values and NaN become 6 (OCP, "Microscaling Formats (MX)", rev. 1.0, 2023). int4, int8, int32:
/// two's complement, saturating; the bits of a word above the type's are 0. NaN becomes the type's
/// quiet NaN, or 0 for integers.
[[nodiscard]] std::uint32_t encode(DataType type, double value);

/// Value of the low bits of `bits` as a number of `type`; exact for every type.
[[nodiscard]] double decode(DataType type, std::uint32_t bits);

/// The numbers the multipliers work on. Both spans have the same size; `type` is a floating-point
/// type.
void widen(DataType type, std::span<const std::uint32_t> bits, std::span<float> values);
/// The same for int8 and int4.
void widen(DataType type, std::span<const std::uint32_t> bits, std::span<std::int16_t> values);

}  // namespace stcsim
