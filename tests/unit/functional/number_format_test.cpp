#include "models/functional/number_format.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/functional/format_definition.hpp"

namespace stcsim {
namespace {

using test::kSmallLayouts;
using test::Layout;
using test::value_of;

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

}  // namespace
}  // namespace stcsim
