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
/// Has neither infinities nor NaN: both become the largest, as PTX' cvt has it.
constexpr Format kFp4E2m1{1, 0, 0x8, 0x7, 0x7, 0x7};
constexpr Format kFp32{23, -126, 0x80000000, 0x7f7fffff, 0x7f800000, 0x7fc00000};

constexpr std::uint32_t kFp32Infinity = 0x7f800000;
constexpr std::uint32_t kFp32Nan = 0x7fc00000;

constexpr int kDoubleMantissaBits = 52;
constexpr int kDoubleBias = 1023;
constexpr std::uint64_t kDoubleSign = std::uint64_t{1} << 63U;
constexpr std::uint64_t kDoubleInfinity = std::uint64_t{0x7ff} << kDoubleMantissaBits;
constexpr std::uint64_t kDoubleLeadingOne = std::uint64_t{1} << kDoubleMantissaBits;

/// bits / 2^shift, rounded to the nearest integer, ties to even; 1 <= shift <= 63.
constexpr std::uint64_t shift_and_round(std::uint64_t bits, int shift) {
  const std::uint64_t below_half = (std::uint64_t{1} << (shift - 1)) - 1;
  return (bits + below_half + ((bits >> shift) & 1)) >> shift;
}

/// `magnitude`: bits of a double that is neither negative nor NaN.
template <Format kFormat>
std::uint32_t encode_magnitude(std::uint64_t magnitude) {
  constexpr int kShift = kDoubleMantissaBits - kFormat.mantissa_bits;
  constexpr int kMinField = kDoubleBias + kFormat.min_exponent;  // in a double's exponent field
  const int below = kMinField - static_cast<int>(magnitude >> kDoubleMantissaBits);
  std::uint64_t bits = 0;
  if (below <= 0) {
    // Exponent and mantissa are rounded as one number: a carry adds up into the exponent.
    constexpr std::uint64_t kRebias = std::uint64_t{kMinField - 1} << kFormat.mantissa_bits;
    bits = shift_and_round(magnitude, kShift) - kRebias;
  } else {
    // Subnormal. Subnormal doubles become 0, whether or not they have a leading 1.
    const std::uint64_t mantissa = magnitude & (kDoubleLeadingOne - 1);
    bits = shift_and_round(mantissa | kDoubleLeadingOne, std::min(kShift + below, 63));
  }
  return bits > kFormat.max_finite ? kFormat.overflow : static_cast<std::uint32_t>(bits);
}

template <Format kFormat>
std::uint32_t encode_float(double value) {
  const auto word = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = word & ~kDoubleSign;
  if (magnitude > kDoubleInfinity) return kFormat.nan << kFormat.left_shift;
  const std::uint32_t sign = word == magnitude ? 0 : kFormat.sign_bit;
  return (encode_magnitude<kFormat>(magnitude) | sign) << kFormat.left_shift;
}

/// The nearest whole number from `least` to `most`, ties to even; 0 for NaN.
std::int64_t rounded_integer(double value, double least, double most) {
  if (std::isnan(value)) return 0;
  // Near 1.5 * 2^52 neighbouring doubles are 1 apart: the addition rounds to the nearest even.
  constexpr double kRounder = 6755399441055744.0;
  return static_cast<std::int64_t>((std::clamp(value, least, most) + kRounder) - kRounder);
}

template <typename Integer>
std::uint32_t encode_integer(double value) {
  using Limits = std::numeric_limits<Integer>;
  const std::int64_t rounded = rounded_integer(value, Limits::min(), Limits::max());
  return static_cast<std::make_unsigned_t<Integer>>(static_cast<Integer>(rounded));
}

std::uint32_t encode_int4(double value) {
  return static_cast<std::uint32_t>(rounded_integer(value, -8, 7)) & 0xf;
}

/// The exponent and mantissa moved into fp32's place, then multiplied by the difference of the
/// exponent biases, which normalises subnormal numbers as well.
template <Format kFormat>
float decode_float(std::uint32_t bits) {
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
  return std::bit_cast<float>(word | sign);
}

std::int8_t decode_int8(std::uint32_t bits) {
  return static_cast<std::int8_t>(bits & 0xff);
}

std::int8_t decode_int4(std::uint32_t bits) {
  return static_cast<std::int8_t>(static_cast<std::int8_t>((bits & 0xf) << 4) / 16);
}

/// Returns use(decoder), given the function that decodes a word of the floating-point type.
template <typename Use>
auto with_decoder(DataType type, Use use) {
  switch (type) {
    case DataType::fp16:
      return use([](std::uint32_t x) { return decode_float<kFp16>(x); });
    case DataType::bf16:
      return use([](std::uint32_t x) { return decode_float<kBf16>(x); });
    case DataType::tf32:
      return use([](std::uint32_t x) { return decode_float<kTf32>(x); });
    case DataType::fp8_e4m3:
      return use([](std::uint32_t x) { return decode_float<kFp8E4m3>(x); });
    case DataType::fp8_e5m2:
      return use([](std::uint32_t x) { return decode_float<kFp8E5m2>(x); });
    case DataType::nvfp4:
      return use([](std::uint32_t x) { return decode_float<kFp4E2m1>(x); });
    case DataType::fp32:
      return use([](std::uint32_t x) { return std::bit_cast<float>(x); });
    case DataType::int8:
    case DataType::int4:
    case DataType::int32:
      break;
  }
  throw std::logic_error("decode: not a floating-point type");
}

}  // namespace

std::uint32_t encode(DataType type, double value) {
  switch (type) {
    case DataType::fp16:
      return encode_float<kFp16>(value);
    case DataType::bf16:
      return encode_float<kBf16>(value);
    case DataType::tf32:
      return encode_float<kTf32>(value);
    case DataType::fp8_e4m3:
      return encode_float<kFp8E4m3>(value);
    case DataType::fp8_e5m2:
      return encode_float<kFp8E5m2>(value);
    case DataType::nvfp4:
      return encode_float<kFp4E2m1>(value);
    case DataType::fp32:
      return encode_float<kFp32>(value);
    case DataType::int8:
      return encode_integer<std::int8_t>(value);
    case DataType::int4:
      return encode_int4(value);
    case DataType::int32:
      return encode_integer<std::int32_t>(value);
  }
  throw std::logic_error("encode: not a data type");
}

double decode(DataType type, std::uint32_t bits) {
  if (type == DataType::int8) return decode_int8(bits);
  if (type == DataType::int4) return decode_int4(bits);
  if (type == DataType::int32) return static_cast<std::int32_t>(bits);
  return with_decoder(type, [&](auto decoder) { return decoder(bits); });
}

void widen(DataType type, std::span<const std::uint32_t> bits, std::span<float> values) {
  with_decoder(type, [&](auto decoder) { std::ranges::transform(bits, values.begin(), decoder); });
}

void widen(DataType type, std::span<const std::uint32_t> bits, std::span<std::int16_t> values) {
  if (type == DataType::int4) {
    std::ranges::transform(bits, values.begin(), decode_int4);
  } else {
    std::ranges::transform(bits, values.begin(), decode_int8);
  }
}

}  // namespace stcsim
