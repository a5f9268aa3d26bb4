#include "models/functional/number_format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "common/data_type.hpp"

namespace stcsim {
namespace {

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

const std::vector<Layout> kSmallLayouts{
    {DataType::fp16, 5, 10, 15, true, 0},    {DataType::bf16, 8, 7, 127, true, 0},
    {DataType::tf32, 8, 10, 127, true, 13},  {DataType::fp8_e4m3, 4, 3, 7, false, 0},
    {DataType::fp8_e5m2, 5, 2, 15, true, 0}, {DataType::nvfp4, 2, 1, 1, false, 0, false},
};
const Layout kFp32Layout{DataType::fp32, 8, 23, 127, true, 0};

/// Value of a non-negative pattern as if there were no infinity and no NaN.
double finite_value_of(const Layout& layout, std::uint32_t pattern) {
  const int exponent = static_cast<int>(pattern >> layout.mantissa_bits);
  const double fraction =
      std::ldexp(pattern & ((1U << layout.mantissa_bits) - 1), -layout.mantissa_bits);
  if (exponent == 0) return std::ldexp(fraction, 1 - layout.bias);
  return std::ldexp(1.0 + fraction, exponent - layout.bias);
}

/// Value of a non-negative pattern.
double value_of(const Layout& layout, std::uint32_t pattern) {
  if (pattern < layout.finite_patterns()) return finite_value_of(layout, pattern);
  const bool infinite = layout.has_infinity && pattern == layout.finite_patterns();
  return infinite ? std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::quiet_NaN();
}

/// Halfway between a finite pattern's number and the next larger one; for the largest, where the
/// next one would be.
double middle_above(const Layout& layout, std::uint32_t pattern) {
  return (finite_value_of(layout, pattern) + finite_value_of(layout, pattern + 1)) / 2;
}

/// The word nearest to a finite number, found by bisection among the format's numbers.
std::uint32_t nearest_word(const Layout& layout, double value) {
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

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(NumberFormat, EveryFiniteNumberDecodesByDefinitionAndEncodesToItself) {
  for (const Layout& layout : kSmallLayouts) {
    for (std::uint32_t pattern = 0; pattern < layout.finite_patterns(); ++pattern) {
      const std::uint32_t word = pattern << layout.unused_low_bits;
      const double value = value_of(layout, pattern);
      ASSERT_EQ(decode(layout.type, word), value) << to_string(layout.type) << " " << pattern;
      ASSERT_EQ(decode(layout.type, word | layout.sign_bit()), -value);
      ASSERT_EQ(encode(layout.type, value), word) << to_string(layout.type) << " " << value;
      ASSERT_EQ(encode(layout.type, -value), word | layout.sign_bit());
    }
  }
}

TEST(NumberFormat, RoundsToTheNearestAndTiesToEven) {
  for (const Layout& layout : kSmallLayouts) {
    for (std::uint32_t pattern = 0; pattern + 1 < layout.finite_patterns(); ++pattern) {
      const double low = value_of(layout, pattern);
      const double high = value_of(layout, pattern + 1);
      const double middle = low + (high - low) / 2;
      const std::uint32_t even = pattern % 2 == 0 ? pattern : pattern + 1;
      const auto encoded = [&](double value) {
        return encode(layout.type, value) >> layout.unused_low_bits;
      };
      ASSERT_EQ(encoded(middle), even) << to_string(layout.type) << " " << middle;
      ASSERT_EQ(encoded(std::nextafter(middle, 0.0)), pattern) << to_string(layout.type);
      ASSERT_EQ(encoded(std::nextafter(middle, kInf)), pattern + 1) << to_string(layout.type);
    }
  }
}

TEST(NumberFormat, OverflowBecomesInfinityFromHalfAStepAboveTheLargest) {
  EXPECT_EQ(encode(DataType::fp16, 65519.9), 0x7bffU);
  EXPECT_EQ(encode(DataType::fp16, 65520.0), 0x7c00U);
  EXPECT_EQ(encode(DataType::fp16, -kInf), 0xfc00U);
  EXPECT_EQ(encode(DataType::fp8_e5m2, 61439.0), 0x7bU);
  EXPECT_EQ(encode(DataType::fp8_e5m2, 61440.0), 0x7cU);
  EXPECT_EQ(encode(DataType::bf16, 3.4e38), 0x7f80U);
  EXPECT_EQ(encode(DataType::tf32, 3.5e38), 0x7f800000U);
  EXPECT_EQ(encode(DataType::fp32, 1e300), 0x7f800000U);
}

TEST(NumberFormat, E4m3SaturatesAt448) {
  EXPECT_EQ(decode(DataType::fp8_e4m3, 0x7e), 448.0);
  EXPECT_EQ(encode(DataType::fp8_e4m3, 465.0), 0x7eU);
  EXPECT_EQ(encode(DataType::fp8_e4m3, 1e9), 0x7eU);
  EXPECT_EQ(encode(DataType::fp8_e4m3, -kInf), 0xfeU);
}

/// All there are: 0, 0.5, 1, 1.5, 2, 3, 4, 6, and the same below zero.
TEST(NumberFormat, E2m1SaturatesAtSix) {
  EXPECT_EQ(decode(DataType::nvfp4, 0x1), 0.5);
  EXPECT_EQ(decode(DataType::nvfp4, 0x5), 3.0);
  EXPECT_EQ(decode(DataType::nvfp4, 0xf), -6.0);
  EXPECT_EQ(encode(DataType::nvfp4, 0.25), 0x0U);
  EXPECT_EQ(encode(DataType::nvfp4, 0.75), 0x2U);
  EXPECT_EQ(encode(DataType::nvfp4, 5.0), 0x6U);
  EXPECT_EQ(encode(DataType::nvfp4, 5.1), 0x7U);
  EXPECT_EQ(encode(DataType::nvfp4, -kInf), 0xfU);
  EXPECT_EQ(encode(DataType::nvfp4, kNaN), 0x7U);
  EXPECT_EQ(decode(DataType::nvfp4, 0xfffffff2), 1.0);
}

TEST(NumberFormat, SpecialValuesSurvive) {
  for (const DataType type : {DataType::fp16, DataType::bf16, DataType::tf32, DataType::fp8_e4m3,
                              DataType::fp8_e5m2, DataType::fp32}) {
    EXPECT_TRUE(std::isnan(decode(type, encode(type, kNaN)))) << to_string(type);
    EXPECT_TRUE(std::signbit(decode(type, encode(type, -0.0)))) << to_string(type);
    if (type != DataType::fp8_e4m3) {
      EXPECT_EQ(decode(type, encode(type, kInf)), kInf) << to_string(type);
    }
  }
  EXPECT_EQ(encode(DataType::fp8_e4m3, kNaN), 0x7fU);
  EXPECT_TRUE(std::isnan(decode(DataType::fp8_e4m3, 0xff)));
  EXPECT_TRUE(std::isnan(decode(DataType::fp8_e5m2, 0x7d)));
}

TEST(NumberFormat, IntegersRoundHalfToEvenAndSaturate) {
  EXPECT_EQ(encode(DataType::int8, 2.5), 2U);
  EXPECT_EQ(encode(DataType::int8, 3.5), 4U);
  EXPECT_EQ(encode(DataType::int8, -2.5), 0xfeU);
  EXPECT_EQ(encode(DataType::int8, 127.6), 127U);
  EXPECT_EQ(encode(DataType::int8, -1000.0), 0x80U);
  EXPECT_EQ(encode(DataType::int8, kNaN), 0U);
  EXPECT_EQ(encode(DataType::int4, 2.5), 2U);
  EXPECT_EQ(encode(DataType::int4, -2.5), 0xeU);
  EXPECT_EQ(encode(DataType::int4, 7.6), 7U);
  EXPECT_EQ(encode(DataType::int4, -1000.0), 0x8U);
  EXPECT_EQ(encode(DataType::int4, kNaN), 0U);
  EXPECT_EQ(encode(DataType::int32, 4e9), 0x7fffffffU);
  for (int value = -128; value < 128; ++value) {
    EXPECT_EQ(decode(DataType::int8, encode(DataType::int8, value)), value);
  }
  for (int value = -8; value < 8; ++value) {
    EXPECT_EQ(decode(DataType::int4, encode(DataType::int4, value)), value);
  }
  EXPECT_EQ(decode(DataType::int32, 0x80000000), -2147483648.0);
}

TEST(NumberFormat, DecodingIgnoresBitsAboveTheType) {
  EXPECT_EQ(decode(DataType::int8, 0xffffff01), 1.0);
  EXPECT_EQ(decode(DataType::int4, 0xfffffff1), 1.0);
  EXPECT_EQ(decode(DataType::int4, 0x0000001f), -1.0);
  EXPECT_EQ(decode(DataType::fp16, 0xffff3c00), 1.0);
}

TEST(NumberFormat, WidenGivesTheNumbersTheMultipliersTake) {
  const std::vector<std::uint32_t> halves{0x3c00, 0xc000, 0x0001};
  std::vector<float> numbers(3);
  widen(DataType::fp16, halves, numbers);
  EXPECT_EQ(numbers, (std::vector<float>{1.0F, -2.0F, 0x1p-24F}));
  const std::vector<std::uint32_t> bytes{0x7f, 0x80, 0xff};
  std::vector<std::int16_t> integers(3);
  widen(DataType::int8, bytes, integers);
  EXPECT_EQ(integers, (std::vector<std::int16_t>{127, -128, -1}));
  widen(DataType::int4, std::vector<std::uint32_t>{0x7, 0x8, 0xf}, integers);
  EXPECT_EQ(integers, (std::vector<std::int16_t>{7, -8, -1}));
}

constexpr std::uint64_t kFormatSeed = 20240611;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Every word of the format, negative ones last.
std::vector<std::uint32_t> all_words(const Layout& layout) {
  std::vector<std::uint32_t> words(std::size_t{2} * layout.patterns());
  std::iota(words.begin(), words.end(), 0U);
  for (std::uint32_t& word : words) word <<= static_cast<unsigned>(layout.unused_low_bits);
  return words;
}

void expect_nearest(const Layout& layout, double value) {
  for (const double signed_value : {value, -value}) {
    ASSERT_EQ(encode(layout.type, signed_value), nearest_word(layout, signed_value))
        << to_string(layout.type) << " " << std::hexfloat << signed_value << ", seed "
        << kFormatSeed;
  }
}

TEST(NumberFormat, EveryWordDecodesByDefinition) {
  for (const Layout& layout : kSmallLayouts) {
    const std::vector<std::uint32_t> words = all_words(layout);
    std::vector<float> widened(words.size());
    widen(layout.type, words, widened);
    for (std::uint32_t i = 0; i < words.size(); ++i) {
      const double magnitude = value_of(layout, i % layout.patterns());
      const double value = i < layout.patterns() ? magnitude : -magnitude;
      const double decoded = decode(layout.type, words[i]);
      ASSERT_EQ(std::isnan(decoded), std::isnan(value)) << to_string(layout.type) << " " << i;
      ASSERT_EQ(std::isnan(widened[i]), std::isnan(value)) << to_string(layout.type) << " " << i;
      if (std::isnan(value)) continue;
      ASSERT_EQ(std::bit_cast<std::uint64_t>(decoded), std::bit_cast<std::uint64_t>(value))
          << to_string(layout.type) << " " << i;
      ASSERT_EQ(widened[i], value) << to_string(layout.type) << " " << i;
      ASSERT_EQ(std::signbit(widened[i]), std::signbit(value))
          << to_string(layout.type) << " " << i;
    }
  }
}

TEST(NumberFormat, EveryHalfwayCaseOfEitherSignRoundsToEven) {
  for (const Layout& layout : kSmallLayouts) {
    for (std::uint32_t pattern = 0; pattern < layout.finite_patterns(); ++pattern) {
      const double middle = middle_above(layout, pattern);
      expect_nearest(layout, std::nextafter(middle, 0.0));
      expect_nearest(layout, middle);
      expect_nearest(layout, std::nextafter(middle, kInfinity));
    }
  }
}

TEST(NumberFormat, HalfwayCasesOfFp32RoundToEven) {
  std::mt19937_64 engine(kFormatSeed);
  for (int i = 0; i < 100000; ++i) {
    const auto pattern = static_cast<std::uint32_t>(engine() % kFp32Layout.finite_patterns());
    // Every second one subnormal or among the smallest normal numbers.
    const double middle = middle_above(kFp32Layout, i % 2 == 0 ? pattern : pattern >> 7U);
    expect_nearest(kFp32Layout, std::nextafter(middle, 0.0));
    expect_nearest(kFp32Layout, middle);
    expect_nearest(kFp32Layout, std::nextafter(middle, kInfinity));
  }
  expect_nearest(kFp32Layout, middle_above(kFp32Layout, kFp32Layout.finite_patterns() - 1));
}

/// Doubles whose exponents reach beyond those of every format, and all kinds of fp32 numbers.
TEST(NumberFormat, RandomNumbersRoundByDefinition) {
  std::mt19937_64 engine(kFormatSeed);
  std::vector<Layout> layouts = kSmallLayouts;
  layouts.push_back(kFp32Layout);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t bits = engine();
    const double fraction = std::ldexp(static_cast<double>(bits >> 11U), -53);
    const double number = std::ldexp(1.0 + fraction, static_cast<int>(bits % 320) - 170);
    const auto single = double{std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32U))};
    for (const Layout& layout : layouts) {
      expect_nearest(layout, number);
      if (std::isfinite(single)) expect_nearest(layout, single);
    }
  }
}

TEST(NumberFormat, TheSmallestDoublesBecomeZero) {
  for (const Layout& layout : kSmallLayouts) {
    expect_nearest(layout, std::numeric_limits<double>::denorm_min());
    expect_nearest(layout, std::numeric_limits<double>::min());
    expect_nearest(layout, std::numeric_limits<double>::max());
  }
}

TEST(NumberFormat, IntegersRoundAsNearbyintDoes) {
  for (int quarters = -640; quarters <= 640; ++quarters) {
    const double value = quarters / 4.0;
    const double rounded = std::clamp(std::nearbyint(value), -128.0, 127.0);
    ASSERT_EQ(decode(DataType::int8, encode(DataType::int8, value)), rounded) << value;
  }
  std::mt19937_64 engine(kFormatSeed);
  for (int i = 0; i < 100000; ++i) {
    const double value = std::ldexp(static_cast<double>(static_cast<std::int64_t>(engine())), -31);
    const double rounded = std::clamp(std::nearbyint(value), -2147483648.0, 2147483647.0);
    ASSERT_EQ(decode(DataType::int32, encode(DataType::int32, value)), rounded) << value;
    const double half = std::floor(value) + 0.5;
    const double even = std::clamp(std::nearbyint(half), -2147483648.0, 2147483647.0);
    ASSERT_EQ(decode(DataType::int32, encode(DataType::int32, half)), even) << half;
  }
}

}  // namespace
}  // namespace stcsim
