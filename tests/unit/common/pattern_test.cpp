#include "common/pattern.hpp"

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

TEST(Pattern, ParsesPairs) {
  EXPECT_EQ(pattern_from_string("4:8 pairs"), (Pattern{4, 8, 2}));
  EXPECT_EQ(pattern_from_string("2:4 pairs"), (Pattern{2, 4, 2}));
  EXPECT_NE(pattern_from_string("4:8 pairs"), pattern_from_string("4:8"));
  EXPECT_EQ((Pattern{4, 8, 2}.of_granules()), (Pattern{2, 4}));
  EXPECT_EQ((Pattern{4, 8}.of_granules()), (Pattern{4, 8}));
}

/// 4 of every m columns are selected, the same for V rows; of 4 of 4 nothing is left to select.
TEST(Pattern, ParsesColumnsSharedByRows) {
  EXPECT_EQ(pattern_from_string("128:2:10"), (Pattern{2, 10, 1, 0, 128}));
  EXPECT_EQ(pattern_from_string("1:2:5"), (Pattern{2, 5, 1, 0, 1}));
  EXPECT_EQ(pattern_from_string("65536:2:128"), (Pattern{2, 128, 1, 0, 65536}));
  EXPECT_EQ(pattern_from_string("64:2:4"), (Pattern{2, 4}));
  EXPECT_NE(pattern_from_string("128:2:10"), pattern_from_string("64:2:10"));
  EXPECT_TRUE(pattern_from_string("128:2:10")->selects_columns());
  EXPECT_FALSE(pattern_from_string("2:10")->selects_columns());
  EXPECT_EQ(pattern_from_string("128:2:10")->of_rows(), (Pattern{2, 10}));
  EXPECT_FALSE(pattern_from_string("128:2:10")->is_dense());
  for (const char* text : {"128:2:10", "64:2:7", "1:2:128"}) {
    EXPECT_EQ(pattern_from_string(text)->to_string(), text);
  }
  for (const char* text :
       {"128:1:10", "128:4:10", "128:2:3", "128:2:129", "0:2:10", "65537:2:10", ":2:10", "128::10",
        "128:2:", "128:2:10 pairs", "128:2:10x2:4", "1:128:2:10", "-1:2:10", "128:2:2"}) {
    EXPECT_EQ(pattern_from_string(text), std::nullopt) << text;
  }
}

/// Hardware sees rows: 2:8 lies in 2:4 hardware, 2:10 puts four into one group of four.
TEST(Pattern, ColumnsSharedByRowsFitWhereEachRowFits) {
  EXPECT_TRUE(fits(*pattern_from_string("128:2:8"), {2, 4}));
  EXPECT_FALSE(fits(*pattern_from_string("128:2:10"), {2, 4}));
  EXPECT_TRUE(fits(*pattern_from_string("128:2:10"), {2, 5}));
}

TEST(Pattern, DenseHasOneForm) {
  EXPECT_EQ(pattern_from_string("dense"), kDense);
  EXPECT_EQ(pattern_from_string("1:1"), kDense);
  EXPECT_EQ(pattern_from_string("4:4"), kDense);
  EXPECT_EQ(pattern_from_string("128:128"), kDense);
  EXPECT_EQ(pattern_from_string("8:8 pairs"), kDense);
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
                           "4:8pairs",
                           "4:8  pairs",
                           "4:8 pairs ",
                           "4:8 pair",
                           "4:8 Pairs",
                           "3:8 pairs",
                           "2:7 pairs",
                           "3:3 pairs",
                           "dense pairs",
                           "pairs",
                           " pairs",
                           "2:99999999999999999999",
                           "99999999999999999999:4"}) {
    EXPECT_EQ(pattern_from_string(text), std::nullopt) << '\'' << text << '\'';
  }
}

TEST(Pattern, PrintsWhatItParses) {
  for (const char* text :
       {"1:2", "2:4", "4:8", "4:32", "1:128", "4:8 pairs", "2:128 pairs", "dense"}) {
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

/// 4:8 pairs: two indices of two bits for eight elements (PTX ISA, "Sparse matrix storage").
TEST(Pattern, MetadataOfPairsIsAnIndexPerPair) {
  EXPECT_EQ((Pattern{4, 8, 2}.metadata_bits_per_group()), 2 * 2);
  EXPECT_EQ((Pattern{2, 4, 2}.metadata_bits_per_group()), 1);
  EXPECT_EQ((Pattern{4, 16, 2}.metadata_bits_per_group()), 2 * 3);
  EXPECT_EQ((Pattern{8, 24, 2}.metadata_bits_per_group()), 4 * 4);
  EXPECT_EQ((Pattern{4, 8, 2}.position_bits()), 2);
  EXPECT_EQ((Pattern{4, 8}.position_bits()), 3);
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

/// Non-zeros at 0, 2, 4, 6 are 2:4 and not 4:8 pairs; at 0, 1, 2, 3 it is the other way round.
TEST(Pattern, PublishedPatternsOnHardwareForPairs) {
  const Pattern hardware{4, 8, 2};
  for (const Pattern pattern : {Pattern{4, 8, 2}, Pattern{2, 4, 2}, Pattern{2, 8, 2}, Pattern{1, 4},
                                Pattern{2, 8}, Pattern{1, 8}, Pattern{2, 16}, Pattern{4, 16, 2}}) {
    EXPECT_TRUE(fits(pattern, hardware)) << pattern.to_string();
  }
  for (const Pattern pattern : {kDense, Pattern{2, 4}, Pattern{1, 2}, Pattern{4, 8}, Pattern{3, 8},
                                Pattern{4, 16}, Pattern{6, 16, 2}, Pattern{6, 8, 2}}) {
    EXPECT_FALSE(fits(pattern, hardware)) << pattern.to_string();
  }
  EXPECT_TRUE(fits({4, 8, 2}, {4, 8}));
  EXPECT_FALSE(fits({4, 8, 2}, {2, 4}));
  EXPECT_TRUE(fits({2, 4, 2}, {2, 4}));
}

TEST(Pattern, DenseHardwareRunsEverything) {
  for (const Pattern pattern : {kDense, Pattern{2, 4}, Pattern{4, 32}, Pattern{127, 128}}) {
    EXPECT_TRUE(fits(pattern, kDense)) << pattern.to_string();
  }
}

/// Bit masks of the granules of every aligned group in a row of `length` elements.
std::vector<std::vector<unsigned>> granule_masks(Pattern pattern, std::int64_t length) {
  std::vector<std::vector<unsigned>> groups;
  for (std::int64_t at = 0; at < length; at += pattern.granule) {
    if (at % pattern.m == 0) groups.emplace_back();
    groups.back().push_back(((1U << pattern.granule) - 1U) << at);
  }
  return groups;
}

bool satisfies(unsigned row, const std::vector<std::vector<unsigned>>& groups, Pattern pattern) {
  for (const std::vector<unsigned>& group : groups) {
    std::int64_t used = 0;
    for (const unsigned granule : group) used += (row & granule) != 0 ? pattern.granule : 0;
    if (used > pattern.n) return false;
  }
  return true;
}

/// The definition of fits(), tried on every possible row that both group sizes divide.
bool fits_by_trying(Pattern tensor, Pattern hardware, std::int64_t length) {
  const auto tensor_groups = granule_masks(tensor, length);
  const auto hardware_groups = granule_masks(hardware, length);
  for (unsigned row = 0; row < 1U << length; ++row) {
    if (satisfies(row, tensor_groups, tensor) && !satisfies(row, hardware_groups, hardware)) {
      return false;
    }
  }
  return true;
}

/// Every n:m with m up to `largest`, of elements and of pairs.
std::vector<Pattern> patterns_up_to(std::int64_t largest) {
  std::vector<Pattern> patterns;
  for (const std::int64_t granule : {1, 2}) {
    for (std::int64_t m = granule; m <= largest; m += granule) {
      for (std::int64_t n = granule; n <= m; n += granule) patterns.push_back({n, m, granule});
    }
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
          << tensor.n << ':' << tensor.m << " of " << tensor.granule << " on " << hardware.n << ':'
          << hardware.m << " of " << hardware.granule;
      ++(expected ? fitting : refused);
    }
  }
  EXPECT_GT(fitting, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(Pattern, ComposedOnesKeepElementsOfBlocks) {
  const auto pattern = pattern_from_string("4:8x2:4");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(*pattern, (Pattern{8, 32, 4, 2}));
  EXPECT_EQ(pattern->of_granules(), (Pattern{4, 8}));
  EXPECT_EQ(pattern->to_string(), "4:8x2:4");
  EXPECT_EQ(pattern_from_string("4:4x2:4"), (Pattern{2, 4}));  // every block is kept
  for (const char* text : {"4:8x4:4", "4:8x", "x2:4", "4:8x2:4x1:2", "4:8 pairsx2:4", "8:4x2:4",
                           "32:64x2:4", "4:8 x 2:4", "densex2:4"}) {
    EXPECT_EQ(pattern_from_string(text), std::nullopt) << text;
  }
}

TEST(Pattern, ComposedOnesFitWhereBothLevelsDo) {
  const auto fit = [](const char* tensor, const char* hardware) {
    return fits(*pattern_from_string(tensor), *pattern_from_string(hardware));
  };
  EXPECT_TRUE(fit("4:8x2:4", "4:8x2:4"));
  EXPECT_TRUE(fit("4:8x2:4", "8:32"));
  EXPECT_TRUE(fit("4:8x2:4", "2:4"));  // of each block two
  EXPECT_TRUE(fit("4:8x1:4", "4:8x2:4"));
  EXPECT_TRUE(fit("1:8", "4:8x2:4"));
  EXPECT_FALSE(fit("8:32", "4:8x2:4"));
  EXPECT_FALSE(fit("2:4", "4:8x2:4"));
  EXPECT_FALSE(fit("5:8x2:4", "4:8x2:4"));
  EXPECT_FALSE(fit("4:8x3:4", "4:8x2:4"));
  EXPECT_FALSE(fit("4:8x2:4", "4:32"));
}

/// A pattern by its definition: so many blocks of a group, so many elements of a block.
class BothLevels {
 public:
  BothLevels(Pattern pattern, std::int64_t length)
      : blocks_{pattern.of_granules().n * pattern.granule, pattern.m, pattern.granule},
        inside_{pattern.kept_inside(), pattern.granule},
        block_masks_(granule_masks(blocks_, length)),
        inside_masks_(granule_masks(inside_, length)) {}
  [[nodiscard]] bool allow(unsigned row) const {
    return satisfies(row, block_masks_, blocks_) && satisfies(row, inside_masks_, inside_);
  }

 private:
  Pattern blocks_;
  Pattern inside_;
  std::vector<std::vector<unsigned>> block_masks_;
  std::vector<std::vector<unsigned>> inside_masks_;
};

/// Non-zeros of composed patterns and of others, tried on every row: nothing fits that does not,
/// and of tensors that are not composed all that fit are found.
TEST(Pattern, FitsOfComposedOnesAgreesWithTryingEveryMask) {
  constexpr std::int64_t kLongestRow = 12;
  std::vector<Pattern> composed;
  for (const Pattern inside : patterns_up_to(4)) {
    if (inside.granule > 1 || inside.is_dense()) continue;
    for (const Pattern blocks : patterns_up_to(kLongestRow / inside.m)) {
      if (blocks.granule > 1 || blocks.is_dense()) continue;
      composed.push_back({blocks.n * inside.n, blocks.m * inside.m, inside.m, inside.n});
    }
  }
  std::vector<Pattern> all = patterns_up_to(kLongestRow);
  all.insert(all.end(), composed.begin(), composed.end());
  int checked = 0;
  for (const Pattern tensor : all) {
    for (const Pattern hardware : all) {
      const std::int64_t length = std::lcm(tensor.m, hardware.m);
      if (length > kLongestRow || !(tensor.is_composed() || hardware.is_composed())) continue;
      const BothLevels of_tensor(tensor, length);
      const BothLevels of_hardware(hardware, length);
      bool expected = true;
      for (unsigned row = 0; row < 1U << length && expected; ++row) {
        expected = !of_tensor.allow(row) || of_hardware.allow(row);
      }
      const bool found = fits(tensor, hardware);
      EXPECT_FALSE(found && !expected) << tensor.to_string() << " on " << hardware.to_string();
      if (!tensor.is_composed()) {
        EXPECT_EQ(found, expected) << tensor.to_string() << " on " << hardware.to_string();
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 500);
}

}  // namespace
}  // namespace stcsim
