#include "common/pattern.hpp"

#include <bit>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

TEST(Pattern, ParsesKeptOutOfGroup) {
  EXPECT_EQ(pattern_from_string("2:4"), (Pattern{2, 4}));
  EXPECT_EQ(pattern_from_string("1:128"), (Pattern{1, 128}));
  EXPECT_EQ(pattern_from_string("127:128"), (Pattern{127, 128}));
}

TEST(Pattern, DenseHasOneForm) {
  EXPECT_EQ(pattern_from_string("dense"), kDense);
  EXPECT_EQ(pattern_from_string("1:1"), kDense);
  EXPECT_EQ(pattern_from_string("4:4"), kDense);
  EXPECT_EQ(pattern_from_string("128:128"), kDense);
}

TEST(Pattern, RefusesEverythingElse) {
  for (const char* text : {"",
                           ":",
                           "2",
                           "2:",
                           ":4",
                           "0:4",
                           "5:4",
                           "2:0",
                           "-2:4",
                           "+2:4",
                           "2:-4",
                           " 2:4",
                           "2:4 ",
                           "2 :4",
                           "2: 4",
                           "2:4:8",
                           "2x4",
                           "2/4",
                           "2.0:4",
                           "0x2:4",
                           "1:129",
                           "Dense",
                           "2:99999999999999999999",
                           "99999999999999999999:4"}) {
    EXPECT_EQ(pattern_from_string(text), std::nullopt) << '\'' << text << '\'';
  }
}

TEST(Pattern, PrintsWhatItParses) {
  for (const char* text : {"1:2", "2:4", "4:8", "4:32", "1:128", "dense"}) {
    EXPECT_EQ(pattern_from_string(text)->to_string(), text);
  }
  EXPECT_EQ((Pattern{8, 8}.to_string()), "dense");
}

TEST(Pattern, MetadataIsAnIndexPerKeptElement) {
  struct Expectation {
    Pattern pattern;
    std::int64_t bits;
  };
  for (const auto& [pattern, bits] :
       {Expectation{{1, 2}, 1}, Expectation{{2, 3}, 4}, Expectation{{1, 4}, 2},
        Expectation{{2, 4}, 4}, Expectation{{2, 5}, 6}, Expectation{{2, 8}, 6},
        Expectation{{4, 8}, 12}, Expectation{{4, 32}, 20}, Expectation{{4, 33}, 24},
        Expectation{{1, 128}, 7}}) {
    EXPECT_EQ(pattern.metadata_bits_per_group(), bits) << pattern.to_string();
  }
}

TEST(Pattern, DenseNeedsNoMetadata) {
  EXPECT_EQ(kDense.metadata_bits_per_group(), 0);
  EXPECT_EQ((Pattern{4, 4}.metadata_bits_per_group()), 0);
}

TEST(Pattern, PublishedPatternsOnTwoOfFourHardware) {
  const Pattern hardware{2, 4};
  for (const Pattern pattern : {Pattern{2, 4}, Pattern{1, 2}, Pattern{1, 4}, Pattern{2, 8},
                                Pattern{2, 16}, Pattern{1, 8}}) {
    EXPECT_TRUE(fits(pattern, hardware)) << pattern.to_string();
  }
  for (const Pattern pattern :
       {kDense, Pattern{3, 4}, Pattern{4, 8}, Pattern{3, 8}, Pattern{4, 16}, Pattern{4, 32}}) {
    EXPECT_FALSE(fits(pattern, hardware)) << pattern.to_string();
  }
}

TEST(Pattern, DenseHardwareRunsEverything) {
  for (const Pattern pattern : {kDense, Pattern{2, 4}, Pattern{4, 32}, Pattern{127, 128}}) {
    EXPECT_TRUE(fits(pattern, kDense)) << pattern.to_string();
  }
}

/// Bit masks, one per aligned group of m elements in a row of `length` elements.
std::vector<unsigned> group_masks(std::int64_t m, std::int64_t length) {
  std::vector<unsigned> masks;
  for (std::int64_t begin = 0; begin < length; begin += m) {
    masks.push_back(((1U << m) - 1U) << begin);
  }
  return masks;
}

bool satisfies(unsigned row, const std::vector<unsigned>& groups, std::int64_t n) {
  for (const unsigned group : groups) {
    if (std::popcount(row & group) > n) return false;
  }
  return true;
}

/// The definition of fits(), tried on every possible row that both group sizes divide.
bool fits_by_trying(Pattern tensor, Pattern hardware, std::int64_t length) {
  const std::vector<unsigned> tensor_groups = group_masks(tensor.m, length);
  const std::vector<unsigned> hardware_groups = group_masks(hardware.m, length);
  for (unsigned row = 0; row < 1U << length; ++row) {
    if (satisfies(row, tensor_groups, tensor.n) && !satisfies(row, hardware_groups, hardware.n)) {
      return false;
    }
  }
  return true;
}

/// Every n:m with m up to `largest`.
std::vector<Pattern> patterns_up_to(std::int64_t largest) {
  std::vector<Pattern> patterns;
  for (std::int64_t m = 1; m <= largest; ++m) {
    for (std::int64_t n = 1; n <= m; ++n) patterns.push_back({n, m});
  }
  return patterns;
}

TEST(Pattern, FitsAgreesWithTryingEveryMask) {
  constexpr std::int64_t kLongestRow = 12;
  int fitting = 0;
  int refused = 0;
  for (const Pattern tensor : patterns_up_to(kLongestRow)) {
    for (const Pattern hardware : patterns_up_to(kLongestRow)) {
      const std::int64_t length = std::lcm(tensor.m, hardware.m);
      if (length > kLongestRow) continue;
      const bool expected = fits_by_trying(tensor, hardware, length);
      EXPECT_EQ(fits(tensor, hardware), expected)
          << tensor.n << ':' << tensor.m << " on " << hardware.n << ':' << hardware.m;
      ++(expected ? fitting : refused);
    }
  }
  EXPECT_GT(fitting, 500);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace stcsim
