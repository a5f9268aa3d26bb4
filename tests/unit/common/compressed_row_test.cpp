#include <gtest/gtest.h>

#include "common/metadata_format.hpp"

namespace stcsim {
namespace {

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
