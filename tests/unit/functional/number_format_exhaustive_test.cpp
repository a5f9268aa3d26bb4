#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "models/functional/number_format.hpp"
#include "tests/unit/functional/format_definition.hpp"

namespace stcsim {
namespace {

using test::kFp32Layout;
using test::kSmallLayouts;
using test::Layout;

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
    ASSERT_EQ(encode(layout.type, signed_value), test::nearest_word(layout, signed_value))
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
      const double magnitude = test::value_of(layout, i % layout.patterns());
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
      const double middle = test::middle_above(layout, pattern);
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
    const double middle = test::middle_above(kFp32Layout, i % 2 == 0 ? pattern : pattern >> 7U);
    expect_nearest(kFp32Layout, std::nextafter(middle, 0.0));
    expect_nearest(kFp32Layout, middle);
    expect_nearest(kFp32Layout, std::nextafter(middle, kInfinity));
  }
  expect_nearest(kFp32Layout, test::middle_above(kFp32Layout, kFp32Layout.finite_patterns() - 1));
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
