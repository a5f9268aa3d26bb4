#include "models/functional/metadata_codec.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/seed.hpp"

namespace stcsim {
namespace {

using Kept = std::vector<std::int32_t>;

constexpr std::int64_t kOffset = 27;  // fields straddle words

std::vector<MetadataFormat> formats() {
  std::vector<MetadataFormat> all;
  for (const MetadataCoding coding :
       {MetadataCoding::index, MetadataCoding::enumerated, MetadataCoding::bitmask}) {
    for (const bool padded : {false, true}) all.push_back({coding, padded});
  }
  return all;
}

std::vector<std::uint32_t> encoded(Pattern pattern, MetadataFormat format, const Kept& kept) {
  std::vector<std::uint32_t> words(40);
  encode_group(pattern, format, kept, words, kOffset);
  return words;
}

Kept decoded(Pattern pattern, MetadataFormat format, const std::vector<std::uint32_t>& words) {
  Kept kept(static_cast<std::size_t>(pattern.n), -1);
  decode_group(pattern, format, words, kOffset, 0, kept);
  return kept;
}

std::string text_of(Pattern pattern, MetadataFormat format) {
  return pattern.to_string() + " " + std::string(to_string(format.coding)) +
         (format.has_power_of_two_fields ? " in powers of two" : "");
}

/// `count` of `of`, ascending.
Kept random_choice(std::mt19937_64& engine, std::int64_t count, std::int64_t of) {
  Kept all(static_cast<std::size_t>(of));
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), engine);
  all.resize(static_cast<std::size_t>(count));
  std::sort(all.begin(), all.end());
  return all;
}

Kept random_kept(std::mt19937_64& engine, Pattern pattern) {
  const Pattern granules = pattern.of_granules();
  Kept kept;
  for (const std::int32_t granule : random_choice(engine, granules.n, granules.m)) {
    for (const std::int32_t at : random_choice(engine, pattern.kept_inside(), pattern.granule)) {
      kept.push_back(granule * static_cast<std::int32_t>(pattern.granule) + at);
    }
  }
  return kept;
}

/// By the definition of each coding.
TEST(MetadataCodec, LaysOutWhatEachCodingSays) {
  const auto word = [](Pattern pattern, MetadataCoding coding, bool padded, const Kept& kept) {
    std::vector<std::uint32_t> words(2);
    encode_group(pattern, {coding, padded}, kept, words, 0);
    return words.front();
  };
  EXPECT_EQ(word({2, 6}, MetadataCoding::index, false, {1, 5}), 0b101'001U);
  EXPECT_EQ(word({2, 6}, MetadataCoding::index, true, {1, 5}), 0b0101'0001U);
  EXPECT_EQ(word({2, 6}, MetadataCoding::bitmask, false, {1, 5}), 0b100010U);
  // Pairs in the order 01, 02, 12, 03, ...: C(1, 1) + C(5, 2) = 11.
  EXPECT_EQ(word({2, 6}, MetadataCoding::enumerated, false, {1, 5}), 11U);
  EXPECT_EQ(word({2, 6}, MetadataCoding::enumerated, false, {0, 1}), 0U);
  EXPECT_EQ(word({2, 6}, MetadataCoding::enumerated, false, {4, 5}), 14U);
  // Blocks 1 and 3 of four; of the first elements 0 and 1, of the second 1 and 2.
  const Pattern composed = *pattern_from_string("2:4x2:3");
  EXPECT_EQ(word(composed, MetadataCoding::index, false, {3, 4, 10, 11}), 0b10'01'01'00'11'01U);
  EXPECT_EQ(word(composed, MetadataCoding::bitmask, false, {3, 4, 10, 11}), 0b110'011'1010U);
}

/// Every choice has a number of its own, from 0 on.
TEST(MetadataCodec, NumbersEveryChoiceOnce) {
  const Pattern pattern{4, 8};
  const MetadataFormat format{MetadataCoding::enumerated, false};
  std::set<Kept> seen;
  for (std::uint32_t number = 0; number < 70; ++number) {
    std::vector<std::uint32_t> words{number};
    Kept kept(4);
    decode_group(pattern, format, words, 0, 0, kept);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
    EXPECT_TRUE(seen.insert(kept).second) << number;
    std::vector<std::uint32_t> again(1);
    encode_group(pattern, format, kept, again, 0);
    EXPECT_EQ(again, words);
  }
  EXPECT_EQ(seen.size(), 70U);
}

/// What is written is read back, and a bit that is inverted says something else or is an error.
TEST(MetadataCodec, EveryBitOfEveryCodingCounts) {
  const std::uint64_t seed = test::seed_or(3);
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 engine(seed);
  for (const char* const name :
       {"1:2", "2:4", "2:6", "3:8", "1:3", "5:7", "4:8", "4:32", "16:32", "32:64", "1:128",
        "4:8 pairs", "4:8x2:4", "1:3x2:5", "2:4x4:8", "3:8x1:4"}) {
    const Pattern pattern = *pattern_from_string(name);
    for (const MetadataFormat format : formats()) {
      SCOPED_TRACE(text_of(pattern, format));
      const Kept kept = random_kept(engine, pattern);
      std::vector<std::uint32_t> words = encoded(pattern, format, kept);
      EXPECT_EQ(decoded(pattern, format, words), kept);
      for (std::int64_t bit = 0; bit < metadata_bits_per_group(pattern, format); ++bit) {
        const auto at = static_cast<std::size_t>(kOffset + bit);
        words[at / 32] ^= 1U << (at % 32);
        try {
          EXPECT_NE(decoded(pattern, format, words), kept) << "bit " << bit;
        } catch (const SimulationError&) {
        }
        words[at / 32] ^= 1U << (at % 32);
      }
    }
  }
}

TEST(MetadataCodec, NamesWhatIsWrong) {
  const auto error_of = [](Pattern pattern, MetadataFormat format, std::uint32_t word) {
    try {
      Kept kept(static_cast<std::size_t>(pattern.n));
      decode_group(pattern, format, std::vector<std::uint32_t>{word, 0}, 0, 7, kept);
    } catch (const SimulationError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of({2, 6}, {MetadataCoding::index, false}, 0b110'000),
            "operand_selector: metadata selects value 6 of group 7, but a group has 6 values");
  EXPECT_EQ(error_of({2, 6}, {MetadataCoding::enumerated, false}, 15),
            "operand_selector: metadata selects choice 15 of group 7, but a group has 15 choices");
  EXPECT_EQ(error_of({2, 6}, {MetadataCoding::bitmask, false}, 0b111),
            "operand_selector: the metadata mask of group 7 keeps more than 2 of 6");
  EXPECT_EQ(error_of({2, 6}, {MetadataCoding::bitmask, true}, 0b1000001),
            "operand_selector: the metadata mask of group 7 keeps more than 2 of 6");
}

}  // namespace
}  // namespace stcsim
