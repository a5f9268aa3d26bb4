#include "models/functional/compressed_matrix.hpp"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "models/functional/metadata_codec.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

/// A 1-batch int8 tensor of `rows` equal-length rows.
GlobalTensor int8_matrix(const std::vector<std::vector<int>>& rows) {
  GemmProblem problem =
      test::make_problem(std::ssize(rows), 1, std::ssize(rows.front()), 1, DataType::int8);
  GlobalTensor tensor = make_a_tensor(problem);
  tensor.bits.clear();
  for (const std::vector<int>& row : rows) {
    for (const int value : row) tensor.bits.push_back(static_cast<std::uint32_t>(value) & 0xff);
  }
  return tensor;
}

std::vector<std::uint32_t> words(std::span<const std::uint32_t> span) {
  return {span.begin(), span.end()};
}

TEST(PackedBits, ReadsBackWhatWasWrittenAtEveryOffsetAndLeavesTheRest) {
  for (std::int64_t count = 1; count <= 32; ++count) {
    for (std::int64_t offset = 0; offset + count <= 96; ++offset) {
      std::vector<std::uint32_t> storage(3, 0xffffffff);
      const std::uint32_t value = 0x5a5aa5a5U >> (32 - count);
      write_bits(storage, offset, count, value);
      ASSERT_EQ(read_bits(storage, offset, count), value);
      for (std::int64_t at = 0; at < 96; ++at) {
        const bool untouched = at < offset || at >= offset + count;
        ASSERT_TRUE(!untouched || read_bits(storage, at, 1) == 1U) << offset << " " << count;
      }
    }
  }
}

TEST(PackedBits, CopiesUnalignedRunsToTheStart) {
  const std::vector<std::uint32_t> from{0x89abcdef, 0x01234567, 0xdeadbeef};
  std::vector<std::uint32_t> to(2, 0);
  copy_bits(from, 4, 40, to);
  EXPECT_EQ(to, (std::vector<std::uint32_t>{0x789abcde, 0x56}));
}

TEST(CompressedMatrix, StoresValuesAndAscendingPositions) {
  const CompressedMatrix matrix =
      compress(int8_matrix({{0, 7, 0, 2, 4, 0, 0, -2}}), 0, Pattern{2, 4});
  EXPECT_EQ(words(matrix.row_values(0)), (std::vector<std::uint32_t>{7, 2, 4, 0xfe}));
  // Two bits each, first one lowest: 1, 3, 0, 3.
  EXPECT_EQ(words(matrix.row_metadata(0)), (std::vector<std::uint32_t>{0b11'00'11'01}));
}

TEST(CompressedMatrix, FillsGroupsWithTheirLowestUnusedPositions) {
  const CompressedMatrix matrix =
      compress(int8_matrix({{0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 5, 0}}), 0, Pattern{2, 4});
  EXPECT_EQ(words(matrix.row_values(0)), (std::vector<std::uint32_t>{0, 0, 9, 0, 0, 5}));
  EXPECT_EQ(words(matrix.row_metadata(0)), (std::vector<std::uint32_t>{0b10'00'01'00'01'00}));
}

TEST(CompressedMatrix, FillsUpAGroupThatReachesBeyondK) {
  const CompressedMatrix matrix = compress(int8_matrix({{1, 0, 0, 2, 0, 3}}), 0, Pattern{2, 4});
  EXPECT_EQ(matrix.groups_per_row(), 2);
  EXPECT_EQ(words(matrix.row_values(0)), (std::vector<std::uint32_t>{1, 2, 0, 3}));
  EXPECT_EQ(decompress(matrix), (std::vector<std::uint32_t>{1, 0, 0, 2, 0, 3}));
}

/// All choices of two of four pairs, as NVIDIA's hardware encodes them: 4, 8, 9, c, d, e. The first
/// pair's index is in the lower bits.
TEST(CompressedMatrix, PairsHaveTheCodesOfTheInstructionSet) {
  const std::vector<std::uint32_t> codes{0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  std::size_t at = 0;
  for (std::size_t first = 0; first < 4; ++first) {
    for (std::size_t second = first + 1; second < 4; ++second) {
      std::vector<int> row(8);
      row[2 * first] = 1;
      row[2 * first + 1] = 2;
      row[2 * second] = 3;
      row[2 * second + 1] = 4;
      const CompressedMatrix matrix = compress(int8_matrix({row}), 0, Pattern{4, 8, 2});
      EXPECT_EQ(words(matrix.row_values(0)), (std::vector<std::uint32_t>{1, 2, 3, 4}));
      EXPECT_EQ(words(matrix.row_metadata(0)), (std::vector<std::uint32_t>{codes[at]}));
      EXPECT_EQ(matrix.kept(0, 0).at(2), static_cast<std::int32_t>(2 * second));
      ++at;
    }
  }
}

/// A pair with one zero is kept whole; groups without two pairs are filled with the lowest others.
TEST(CompressedMatrix, PairsAreKeptWholeAndFilledUp) {
  const CompressedMatrix matrix =
      compress(int8_matrix({{0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 7}}), 0, Pattern{4, 8, 2});
  EXPECT_EQ(words(matrix.row_values(0)), (std::vector<std::uint32_t>{0, 0, 0, 9, 0, 0, 7, 0}));
  EXPECT_EQ(words(matrix.row_metadata(0)), (std::vector<std::uint32_t>{0b01'00'10'00}));
  EXPECT_EQ(decompress(matrix), (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 7}));
}

TEST(CompressedMatrix, RefusesTooManyPairsThoughNonZerosAreFew) {
  const GlobalTensor a = int8_matrix({{1, 0, 0, 1, 0, 1, 0, 0}});
  try {
    (void)compress(a, 0, Pattern{4, 8, 2});
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "error: A does not satisfy 4:8 pairs: batch 0, row 0, group 0 (k from 0) has 3 "
                 "pairs with non-zeros, at most 2 are allowed");
  }
}

TEST(CompressedMatrix, RefusesAViolationByRowAndGroup) {
  const GlobalTensor a = int8_matrix({{1, 1, 0, 0, 0, 0, 0, 1}, {0, 1, 0, 1, 5, 6, 0, 7}});
  try {
    (void)compress(a, 0, Pattern{2, 4});
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "error: A does not satisfy 2:4: batch 0, row 1, group 1 (k from 4) has 3 "
                 "non-zeros, at most 2 are allowed");
  }
}

TEST(CompressedMatrix, NegativeZeroCountsAsZero) {
  GemmProblem problem = test::make_problem(1, 1, 4, 1, DataType::fp16);
  GlobalTensor a = make_a_tensor(problem);
  a.bits = {0x8000, 0x3c00, 0x8000, 0xbc00};
  const CompressedMatrix matrix = compress(a, 0, Pattern{2, 4});
  EXPECT_EQ(words(matrix.row_values(0)), (std::vector<std::uint32_t>{0x3c00, 0xbc00}));
}

TEST(CompressedMatrix, FlippingABitChangesThatPositionOnly) {
  CompressedMatrix matrix = compress(int8_matrix({{1, 2, 0, 0, 0, 3, 4, 0}}), 0, Pattern{2, 4});
  matrix.flip_metadata_bit({0, 1, 3});  // upper bit of the second position of group 1: 2 -> 0
  EXPECT_EQ(matrix.kept(0, 0), (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(matrix.kept(0, 1), (std::vector<std::int32_t>{1, 0}));
  matrix.flip_metadata_bit({0, 1, 3});
  EXPECT_EQ(matrix.kept(0, 1), (std::vector<std::int32_t>{1, 2}));
}

TEST(CompressedMatrix, DecompressingGivesTheOriginalForEveryPattern) {
  std::mt19937_64 engine(11);
  for (const Pattern pattern :
       {Pattern{2, 4}, Pattern{1, 2}, Pattern{1, 4}, Pattern{2, 8}, Pattern{4, 8}, Pattern{1, 8},
        Pattern{4, 32}, Pattern{3, 5}, Pattern{1, 3}, Pattern{16, 128}, Pattern{4, 8, 2},
        Pattern{2, 4, 2}, Pattern{6, 10, 2}}) {
    for (const int k : {1, 31, 128, 131}) {
      std::vector<std::vector<int>> rows(3, std::vector<int>(static_cast<std::size_t>(k)));
      for (std::vector<int>& row : rows) {
        std::int64_t kept = 0;
        const auto granule = static_cast<std::size_t>(pattern.granule);
        for (std::size_t at = 0; at < row.size(); at += granule) {
          if (at % static_cast<std::size_t>(pattern.m) == 0) kept = 0;
          if (engine() % 2 == 0 || kept == pattern.n) continue;
          for (std::size_t i = at; i < std::min(at + granule, row.size()); ++i) {
            row[i] = static_cast<int>(engine() % 127) + 1;
          }
          kept += pattern.granule;
        }
      }
      const GlobalTensor a = int8_matrix(rows);
      EXPECT_EQ(decompress(compress(a, 0, pattern)), a.bits)
          << pattern.to_string() << " k " << k << " (seed 11)";
    }
  }
}

TEST(CompressedMatrix, ReadsEitherLayoutAndTheRightBatch) {
  GemmProblem problem = test::make_problem(2, 1, 4, 2, DataType::int8);
  problem.a_layout = OperandLayout::mn_major;
  GlobalTensor a = make_a_tensor(problem);
  // Batch 1, k after k: rows {0, 6, 0, 8} and {5, 0, 7, 0}.
  a.bits = {1, 1, 1, 1, 1, 1, 1, 1, 0, 5, 6, 0, 0, 7, 8, 0};
  const CompressedMatrix matrix = compress(a, 1, Pattern{2, 4});
  EXPECT_EQ(decompress(matrix), (std::vector<std::uint32_t>{0, 6, 0, 8, 5, 0, 7, 0}));
}

constexpr std::int64_t kM = 2, kN = 3, kK = 5, kBatches = 2;

GemmProblem problem(OperandLayout operands, OutputLayout output) {
  GemmProblem result = test::make_problem(kM, kN, kK, kBatches);
  result.a_layout = result.b_layout = operands;
  result.c_layout = output;
  return result;
}

TEST(GlobalTensor, KMajorOperandsHaveTheReductionAxisContiguous) {
  const GemmProblem gemm = problem(OperandLayout::k_major, OutputLayout::row_major);
  EXPECT_EQ(make_a_tensor(gemm).offset(1, 1, 3), 10U + 1 * 5 + 3);  // (m 1, k 3)
  EXPECT_EQ(make_b_tensor(gemm).offset(1, 3, 2), 15U + 2 * 5 + 3);  // (k 3, n 2)
  EXPECT_EQ(make_c_tensor(gemm).offset(1, 1, 2), 6U + 1 * 3 + 2);
}

TEST(GlobalTensor, MnMajorOperandsHaveTheirOwnAxisContiguous) {
  const GemmProblem gemm = problem(OperandLayout::mn_major, OutputLayout::column_major);
  EXPECT_EQ(make_a_tensor(gemm).offset(1, 1, 3), 10U + 3 * 2 + 1);
  EXPECT_EQ(make_b_tensor(gemm).offset(1, 3, 2), 15U + 3 * 3 + 2);
  EXPECT_EQ(make_c_tensor(gemm).offset(1, 1, 2), 6U + 2 * 2 + 1);
}

TEST(GlobalTensor, HasTheTypesOfTheProblem) {
  GemmProblem gemm = problem(OperandLayout::k_major, OutputLayout::row_major);
  gemm.dtype = DataType::fp8_e4m3;
  EXPECT_EQ(make_a_tensor(gemm).type, DataType::fp8_e4m3);
  EXPECT_EQ(make_c_tensor(gemm).type, DataType::fp16);
  EXPECT_EQ(make_c_tensor(gemm).bits.size(), 12U);
}

/// Two of four by position, two bits each: of the row 0 1 0 0 | 0 0 0 0 | 2 0 3 0 the third group's
/// slots tell where values stand, of the first group's only one.
TEST(PlaceOfBit, CountsThoseThatSayWhereAValueStands) {
  GlobalTensor a = make_a_tensor(test::make_problem(1, 8, 12, 1, DataType::int8, {2, 4}));
  a.bits = {0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0};
  const CompressedMatrix sparse = compress(a, 0, {2, 4});
  std::vector<std::vector<std::int64_t>> places;
  for (std::int64_t bit = 0; bit < 6; ++bit) {
    const MetadataPlace place = sparse.place_of_bit(a.type, bit);
    places.push_back({place.row, place.group, place.bit});
  }
  // The first group keeps places 0 and 1: its value is in the second slot.
  EXPECT_EQ(places, (std::vector<std::vector<std::int64_t>>{
                        {0, 0, 2}, {0, 0, 3}, {0, 2, 0}, {0, 2, 1}, {0, 2, 2}, {0, 2, 3}}));
  EXPECT_THAT([&] { (void)sparse.place_of_bit(a.type, 6); },
              testing::ThrowsMessage<ConfigError>(
                  "error: the operand has no metadata bit 6; 6 say where values stand"));
}

}  // namespace
}  // namespace stcsim
