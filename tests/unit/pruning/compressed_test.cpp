#include "pruning/compressed.hpp"

#include <bit>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "models/functional/compressed_matrix.hpp"
#include "pruning/magnitude.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

using test::base_seed;
using test::matrix_of;
using test::seed_text;
using ::testing::ElementsAre;

constexpr std::int64_t kWordBits = 32;

std::uint32_t read_bits(const std::uint32_t* words, std::int64_t offset, std::int64_t count) {
  std::uint64_t window = words[offset / kWordBits];
  if (offset % kWordBits + count > kWordBits) {
    window |= std::uint64_t{words[offset / kWordBits + 1]} << kWordBits;
  }
  return static_cast<std::uint32_t>((window >> (offset % kWordBits)) &
                                    ((std::uint64_t{1} << count) - 1));
}

/// The inverse of compress(); what is not stored is 0.
Matrix decompress(const Compressed& compressed) {
  const Pattern pattern = compressed.pattern;
  const std::int64_t bits = pattern.position_bits();
  const std::int64_t values = compressed.groups * pattern.n;
  Matrix matrix(compressed.rows, compressed.columns);
  for (std::int64_t row = 0; row < compressed.rows; ++row) {
    const std::uint32_t* const words =
        &compressed.metadata[as_size(row * compressed.words_per_row)];
    for (std::int64_t value = 0; value < values; ++value) {
      const std::int64_t position = read_bits(words, value / pattern.granule * bits, bits);
      const std::int64_t column =
          value / pattern.n * pattern.m + position * pattern.granule + value % pattern.granule;
      if (column >= matrix.columns) continue;
      matrix.at(row, column) = compressed.values[as_size(row * values + value)];
    }
  }
  return matrix;
}

TEST(CompressedTest, StoresValuesAndTwoBitPositions) {
  const Compressed c = compress(matrix_of(1, 8, {0, 7, -3, 0, 5, 0, 0, 6}), {2, 4});
  EXPECT_THAT(c.values, ElementsAre(7, -3, 5, 6));
  EXPECT_EQ(c.groups, 2);
  // Positions 1, 2, 0, 3 from the lowest bits on.
  EXPECT_THAT(c.metadata, ElementsAre(0b11'00'10'01U));
}

TEST(CompressedTest, StoresPairsAndTheirTwoBitPositions) {
  const Compressed c = compress(matrix_of(1, 8, {0, 0, 7, 0, 0, 0, -3, 5}), {4, 8, 2});
  EXPECT_THAT(c.values, ElementsAre(7, 0, -3, 5));
  EXPECT_THAT(c.metadata, ElementsAre(0b11'01U));
  const std::string message = stcsim::test::message_of<ConfigError>([] {
    static_cast<void>(compress(matrix_of(1, 8, {0, 1, 1, 0, 0, 0, 0, 1}), {4, 8, 2}));
  });
  EXPECT_EQ(message,
            "error: the values do not have the pattern 4:8 pairs: row 0, group 0 (from element 0) "
            "has 3 pairs with non-zeros, at most 2 are allowed");
}

TEST(CompressedTest, FillsGroupsUpWithTheLowestUnusedPositions) {
  const Compressed c = compress(matrix_of(1, 8, {0, 0, 0, 0, 5, 0, 0, 0}), {2, 4});
  EXPECT_THAT(c.values, ElementsAre(0, 0, 5, 0));
  EXPECT_THAT(c.metadata, ElementsAre(0b01'00'01'00U));
}

TEST(CompressedTest, EveryRowStartsANewWord) {
  // 1:8 takes three bits a group, eleven groups make 33.
  Matrix matrix(2, 88);
  for (std::int64_t group = 0; group < 11; ++group) matrix.at(1, 8 * group + 7) = 1;
  const Compressed c = compress(matrix, {1, 8});
  EXPECT_EQ(c.words_per_row, 2);
  EXPECT_THAT(c.metadata, ElementsAre(0, 0, 0xffffffffU, 1));
}

TEST(CompressedTest, NamesTheGroupThatViolatesThePattern) {
  const std::string message = stcsim::test::message_of<ConfigError>([] {
    static_cast<void>(compress(matrix_of(1, 8, {0, 0, 0, 0, 1, 2, 3, 0}), {2, 4}));
  });
  EXPECT_EQ(message,
            "error: the values do not have the pattern 2:4: row 0, group 1 (from element 4) has 3 "
            "non-zeros, at most 2 are allowed");
}

/// The matrix as the simulated machine takes it, fp32 bits with k contiguous.
GlobalTensor machine_tensor(const Matrix& matrix) {
  GlobalTensor tensor;
  tensor.type = DataType::fp32;
  tensor.batch_count = 1;
  tensor.rows = matrix.rows;
  tensor.columns = matrix.columns;
  tensor.row_stride = matrix.columns;
  tensor.column_stride = 1;
  for (const float value : matrix.values)
    tensor.bits.push_back(std::bit_cast<std::uint32_t>(value));
  return tensor;
}

TEST(CompressedTest, IsLaidOutLikeTheMachinesAndComesBack) {
  SCOPED_TRACE(seed_text());
  for (const Pattern pattern :
       {Pattern{2, 4}, Pattern{1, 2}, Pattern{1, 3}, Pattern{4, 8}, Pattern{3, 7}, Pattern{4, 32},
        Pattern{5, 128}, Pattern{4, 8, 2}, Pattern{2, 4, 2}, Pattern{6, 22, 2}}) {
    for (const std::int64_t columns : {1, 4, 7, 64, 129, 260}) {
      const Matrix dense = test::coarse_matrix(5, columns, base_seed());
      Matrix pruned(5, columns);
      prune_by_magnitude(dense, pattern, 1, pruned);
      const Compressed c = compress(pruned, pattern);
      const CompressedMatrix machine = stcsim::compress(machine_tensor(pruned), 0, pattern);
      SCOPED_TRACE(pattern.to_string() + ", " + std::to_string(columns) + " columns");
      ASSERT_EQ(c.groups, machine.groups_per_row());
      std::vector<std::uint32_t> words;
      std::vector<float> values;
      for (std::int64_t row = 0; row < 5; ++row) {
        for (const std::uint32_t word : machine.row_metadata(row)) words.push_back(word);
        for (const std::uint32_t bits : machine.row_values(row)) {
          values.push_back(std::bit_cast<float>(bits));
        }
      }
      EXPECT_EQ(c.metadata, words);
      EXPECT_EQ(c.values, values);
      EXPECT_EQ(decompress(c).values, pruned.values);
    }
  }
}

}  // namespace
}  // namespace stcsim::pruning
