#include "models/functional/number_format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace stcsim {
namespace {

/// A binary floating-point format; bit patterns without the sign, before `left_shift`.
struct Format {
  int mantissa_bits;
  int min_exponent;  // of normal numbers
  std::uint32_t sign_bit;
  std::uint32_t max_finite;
  std::uint32_t overflow;  // what a too large value becomes: infinity, or max_finite if saturating
  std::uint32_t nan;
  int left_shift = 0;  // unused low bits of the stored word
};

constexpr Format kFp16{10, -14, 0x8000, 0x7bff, 0x7c00, 0x7e00};
constexpr Format kBf16{7, -126, 0x8000, 0x7f7f, 0x7f80, 0x7fc0};
constexpr Format kTf32{10, -126, 0x40000, 0x3fbff, 0x3fc00, 0x3fe00, 13};
constexpr Format kFp8E4m3{3, -6, 0x80, 0x7e, 0x7e, 0x7f};
constexpr Format kFp8E5m2{2, -14, 0x80, 0x7b, 0x7c, 0x7e};
constexpr Format kFp32{23, -126, 0x80000000, 0x7f7fffff, 0x7f800000, 0x7fc00000};

constexpr std::uint32_t kFp32Infinity = 0x7f800000;
constexpr std::uint32_t kFp32Nan = 0x7fc00000;

std::uint32_t encode_magnitude(const Format& format, double magnitude) {
  if (std::isnan(magnitude)) return format.nan;
  if (std::isinf(magnitude)) return format.overflow;
  if (magnitude == 0.0) return 0;
  const int exponent = std::max(std::ilogb(magnitude), format.min_exponent);
  // Units in the last place; the scaling is exact, so this is the only rounding (to nearest even).
  const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  // A normal number's leading 1 and a carry out of the mantissa both add up into the exponent.
  const std::int64_t bits = (std::int64_t{exponent - format.min_exponent} << format.mantissa_bits) +
                            static_cast<std::int64_t>(units);
  return bits > format.max_finite ? format.overflow : static_cast<std::uint32_t>(bits);
}

std::uint32_t encode_float(const Format& format, double value) {
  const std::uint32_t sign = std::signbit(value) && !std::isnan(value) ? format.sign_bit : 0;
  return (encode_magnitude(format, std::abs(value)) | sign) << format.left_shift;
}

template <typename Integer>
std::uint32_t encode_integer(double value) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(value)) return 0;
  const double rounded = std::nearbyint(std::clamp<double>(value, Limits::min(), Limits::max()));
  return static_cast<std::make_unsigned_t<Integer>>(static_cast<Integer>(rounded));
}

/// The fp32 bits of a narrower number: its exponent and mantissa moved into place, then multiplied
/// by the difference of the exponent biases, which normalises subnormal numbers as well.
template <Format kFormat>
std::uint32_t widen_float(std::uint32_t bits) {
  constexpr auto kRebias =
      std::bit_cast<float>(static_cast<std::uint32_t>(127 + 126 + kFormat.min_exponent) << 23U);
  const std::uint32_t stored = bits >> kFormat.left_shift;
  const std::uint32_t magnitude = stored & (kFormat.sign_bit - 1);
  const std::uint32_t sign = (stored & kFormat.sign_bit) != 0 ? 0x80000000 : 0;
  const auto moved = std::bit_cast<float>(magnitude << (23 - kFormat.mantissa_bits));
  std::uint32_t word = std::bit_cast<std::uint32_t>(moved * kRebias);
  if (magnitude > kFormat.max_finite) {
    word = magnitude == kFormat.overflow ? kFp32Infinity : kFp32Nan;
  }
  return word | sign;
}

std::uint32_t sign_extend_byte(std::uint32_t bits) {
  return static_cast<std::uint32_t>(std::int32_t{static_cast<std::int8_t>(bits & 0xff)});
}

std::uint32_t widen_one(DataType type, std::uint32_t bits) {
  std::uint32_t word = 0;
  widen(type, {&bits, 1}, {&word, 1});
  return word;
}

}  // namespace

std::uint32_t encode(DataType type, double value) {
  switch (type) {
    case DataType::fp16:
      return encode_float(kFp16, value);
    case DataType::bf16:
      return encode_float(kBf16, value);
    case DataType::tf32:
      return encode_float(kTf32, value);
    case DataType::fp8_e4m3:
      return encode_float(kFp8E4m3, value);
    case DataType::fp8_e5m2:
      return encode_float(kFp8E5m2, value);
    case DataType::fp32:
      return encode_float(kFp32, value);
    case DataType::int8:
      return encode_integer<std::int8_t>(value);
    case DataType::int32:
      return encode_integer<std::int32_t>(value);
  }
  throw std::logic_error("encode: not a data type");
}

double decode(DataType type, std::uint32_t bits) {
  const std::uint32_t word = widen_one(type, bits);
  if (accumulator_of(type) == DataType::int32) return static_cast<std::int32_t>(word);
  return std::bit_cast<float>(word);
}

void widen(DataType type, std::span<const std::uint32_t> bits, std::span<std::uint32_t> words) {
  const auto convert = [&](auto one) { std::ranges::transform(bits, words.begin(), one); };
  switch (type) {
    case DataType::fp16:
      return convert([](std::uint32_t x) { return widen_float<kFp16>(x); });
    case DataType::bf16:
      return convert([](std::uint32_t x) { return widen_float<kBf16>(x); });
    case DataType::tf32:
      return convert([](std::uint32_t x) { return widen_float<kTf32>(x); });
    case DataType::fp8_e4m3:
      return convert([](std::uint32_t x) { return widen_float<kFp8E4m3>(x); });
    case DataType::fp8_e5m2:
      return convert([](std::uint32_t x) { return widen_float<kFp8E5m2>(x); });
    case DataType::int8:
      return convert(sign_extend_byte);
    case DataType::fp32:
    case DataType::int32:
      return convert([](std::uint32_t x) { return x; });
  }
  throw std::logic_error("widen: not a data type");
}

}  // namespace stcsim
