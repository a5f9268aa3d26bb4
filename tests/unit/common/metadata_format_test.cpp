#include "common/metadata_format.hpp"

#include <gtest/gtest.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

constexpr MetadataFormat kIndex{MetadataCoding::index, false};
constexpr MetadataFormat kEnumerated{MetadataCoding::enumerated, false};
constexpr MetadataFormat kBitmask{MetadataCoding::bitmask, false};

Pattern pattern_of(const char* text) {
  return *pattern_from_string(text);
}

TEST(Choices, AreBinomialCoefficients) {
  EXPECT_EQ(choices({2, 4}), 6);
  EXPECT_EQ(choices({2, 6}), 15);
  EXPECT_EQ(choices({4, 8}), 70);
  EXPECT_EQ(choices({16, 32}), 601'080'390);
  EXPECT_EQ(choices({32, 64}), 1'832'624'140'942'590'534);
  EXPECT_EQ(choices({7, 7}), 1);
  EXPECT_EQ(choices({33, 66}), std::nullopt);  // 7.2e18, 2^62 is 4.6e18
  EXPECT_EQ(choices({64, 128}), std::nullopt);
}

/// ceil(log2 m) for each kept value; ceil(log2 C(m, n)) for a group; m for a group.
TEST(MetadataFormat, BitsOfAGroup) {
  struct ExpectedBits {
    const char* pattern;
    std::int64_t index;
    std::int64_t enumerated;
    std::int64_t bitmask;
  };
  for (const auto& [text, index, enumerated, bitmask] :
       {ExpectedBits{"dense", 0, 0, 0}, ExpectedBits{"1:2", 1, 1, 2}, ExpectedBits{"2:4", 4, 3, 4},
        ExpectedBits{"1:4", 2, 2, 4}, ExpectedBits{"2:6", 6, 4, 6}, ExpectedBits{"2:8", 6, 5, 8},
        ExpectedBits{"4:8", 12, 7, 8}, ExpectedBits{"1:8", 3, 3, 8},
        ExpectedBits{"4:32", 20, 16, 32}, ExpectedBits{"4:8 pairs", 4, 3, 4},
        ExpectedBits{"4:8x2:4", 4 * 3 + 8 * 2, 7 + 4 * 3, 8 + 4 * 4}}) {
    const Pattern pattern = pattern_of(text);
    EXPECT_EQ(metadata_bits_per_group(pattern, kIndex), index) << text;
    EXPECT_EQ(pattern.metadata_bits_per_group(), index) << text;
    EXPECT_EQ(metadata_bits_per_group(pattern, kEnumerated), enumerated) << text;
    EXPECT_EQ(metadata_bits_per_group(pattern, kBitmask), bitmask) << text;
  }
}

/// Positions, numbers and masks are rounded up one by one.
TEST(MetadataFormat, FieldsOfAPowerOfTwo) {
  const auto bits = [](const char* pattern, MetadataCoding coding) {
    return metadata_bits_per_group(pattern_of(pattern), {coding, true});
  };
  EXPECT_EQ(bits("2:4", MetadataCoding::index), 2 * 2);
  EXPECT_EQ(bits("2:6", MetadataCoding::index), 2 * 4);
  EXPECT_EQ(bits("1:8", MetadataCoding::index), 4);
  EXPECT_EQ(bits("2:4", MetadataCoding::enumerated), 4);
  EXPECT_EQ(bits("2:6", MetadataCoding::enumerated), 4);
  EXPECT_EQ(bits("2:8", MetadataCoding::enumerated), 8);
  EXPECT_EQ(bits("2:6", MetadataCoding::bitmask), 8);
  EXPECT_EQ(bits("4:8x2:4", MetadataCoding::index), 4 * 4 + 8 * 2);
}

/// What eight kept values take, as the study of the 1024-MAC core counts it.
TEST(MetadataFormat, BytesOfAnAnalyticalStudy) {
  const auto bytes = [](const char* text, MetadataCoding coding) {
    const Pattern pattern = pattern_of(text);
    return row_bytes(8 / pattern.n * pattern.m, pattern, DataType::int8, {coding, true}).metadata;
  };
  EXPECT_EQ(bytes("2:4", MetadataCoding::index), 2);
  EXPECT_EQ(bytes("2:6", MetadataCoding::index), 4);
  EXPECT_EQ(bytes("2:8", MetadataCoding::index), 4);
  EXPECT_EQ(bytes("2:6", MetadataCoding::enumerated), 2);
}

TEST(MetadataFormat, RefusesToEnumerateTooMuch) {
  EXPECT_THROW((void)metadata_bits_per_group({64, 128}, kEnumerated), ConfigError);
  EXPECT_EQ(metadata_bits_per_group({64, 128}, kIndex), 64 * 7);
}

TEST(MetadataCoding, HasAName) {
  for (const MetadataCoding coding :
       {MetadataCoding::index, MetadataCoding::enumerated, MetadataCoding::bitmask}) {
    EXPECT_EQ(metadata_coding_from_string(to_string(coding)), coding);
  }
  EXPECT_EQ(metadata_coding_from_string("mask"), std::nullopt);
}

/// NVIDIA's 2:4: half the values and two bits for each of them; 16 halves are 8 values and 2 bytes.
TEST(CompressedRow, HalvesTwoOutOfFour) {
  EXPECT_EQ(row_bytes(16, {2, 4}, DataType::fp16), (RowBytes{16, 2}));
  EXPECT_EQ(row_bytes(64, {2, 4}, DataType::int8), (RowBytes{32, 8}));
}

TEST(CompressedRow, DenseRowsHaveNoMetadata) {
  EXPECT_EQ(row_bytes(33, kDense, DataType::tf32), (RowBytes{33 * 4, 0}));
  EXPECT_EQ(row_bytes(0, kDense, DataType::fp16), (RowBytes{0, 0}));
}

/// ceil(log2 m) bits each: 5 for 4:32, 7 for 3:100, 3 for 1:8.
TEST(CompressedRow, PositionsTakeWholeBits) {
  EXPECT_EQ(row_contents(32, {4, 32}).metadata_bits, 4 * 5);
  EXPECT_EQ(row_contents(200, {3, 100}).metadata_bits, 2 * 3 * 7);
  EXPECT_EQ(row_bytes(8, {1, 8}, DataType::fp16), (RowBytes{2, 1}));
  EXPECT_EQ(row_bytes(24, {1, 8}, DataType::fp16), (RowBytes{6, 2}));
}

/// NVIDIA's int4: half the values, and two bits for each pair that is kept.
TEST(CompressedRow, PairsOfNibbles) {
  EXPECT_EQ(row_contents(256, {4, 8, 2}).values, 128);
  EXPECT_EQ(row_contents(256, {4, 8, 2}).metadata_bits, 128);
  EXPECT_EQ(row_bytes(128, {4, 8, 2}, DataType::int4), (RowBytes{32, 8}));
  EXPECT_EQ(row_bytes(8, {4, 8, 2}, DataType::int4), (RowBytes{2, 1}));
  EXPECT_EQ(row_bytes(9, {4, 8, 2}, DataType::int4), (RowBytes{4, 1}));
  EXPECT_EQ(row_bytes(17, {4, 8, 2}, DataType::int4), (RowBytes{6, 2}));
}

/// A scale for each 16 that are kept, so that it reaches over 32 of pair-wise 4:8.
TEST(CompressedRow, BlocksOfKeptValuesHaveScales) {
  EXPECT_EQ(row_bytes(256, kDense, DataType::nvfp4), (RowBytes{128, 0, 16}));
  EXPECT_EQ(row_bytes(256, {4, 8, 2}, DataType::nvfp4), (RowBytes{64, 16, 8}));
  EXPECT_EQ(row_bytes(40, {4, 8, 2}, DataType::nvfp4), (RowBytes{10, 3, 2}));
}

/// Rows start at a byte: an odd number of nibbles takes half a byte more.
TEST(CompressedRow, NibblesTakeWholeBytes) {
  EXPECT_EQ(row_bytes(33, kDense, DataType::int4), (RowBytes{17, 0}));
  EXPECT_EQ(row_bytes(64, kDense, DataType::int4), (RowBytes{32, 0}));
  EXPECT_EQ(row_bytes(24, {1, 8}, DataType::int4), (RowBytes{2, 2}));
}

/// A last group that is not whole is stored like a whole one.
TEST(CompressedRow, LastGroupsCountWhole) {
  for (const std::int64_t k : {1, 7, 8}) {
    EXPECT_EQ(row_bytes(k, {2, 8}, DataType::fp16), (RowBytes{4, 1}));
  }
  EXPECT_EQ(row_bytes(9, {2, 8}, DataType::fp16), (RowBytes{8, 2}));
}

}  // namespace
}  // namespace stcsim
