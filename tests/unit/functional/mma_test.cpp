#include "models/functional/mma.hpp"

#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "models/functional/number_format.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

/// One warp, one group of `k`, `rows` x `columns`.
FunctionalKernel warp_kernel(DataType type, Pattern pattern, std::int64_t rows,
                             std::int64_t columns, std::int64_t k) {
  FunctionalKernel kernel;
  kernel.problem = test::make_problem(rows, columns, k, 1, type, pattern);
  kernel.tile_m = rows;
  kernel.tile_n = columns;
  kernel.tile_k = kernel.instruction_k = k;
  kernel.pattern = pattern;
  return kernel;
}

std::uint32_t fp32(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

Fragment zero_fragment(const FragmentShape& shape) {
  return {std::vector<std::uint32_t>(as_size(shape.rows * shape.stored_values)),
          std::vector<std::uint32_t>(as_size(shape.rows * shape.metadata_words)),
          std::vector<std::uint32_t>(as_size(shape.k * shape.pitch))};
}

TEST(Mma, PadsColumnsToWholeBlocks) {
  EXPECT_EQ(FragmentShape(warp_kernel(DataType::fp16, kDense, 16, 8, 16)).pitch, 16);
  EXPECT_EQ(FragmentShape(warp_kernel(DataType::fp16, kDense, 16, 16, 16)).pitch, 16);
  EXPECT_EQ(FragmentShape(warp_kernel(DataType::fp16, kDense, 16, 17, 16)).pitch, 32);
}

TEST(Mma, SparseRowMeetsTheSelectedValuesOfB) {
  const FragmentShape shape(warp_kernel(DataType::fp16, {2, 4}, 1, 2, 4));
  MmaUnit unit(DataType::fp16, {2, 4}, shape);
  Fragment fragment = zero_fragment(shape);
  fragment.a = {encode(DataType::fp16, 10), encode(DataType::fp16, 100)};
  fragment.metadata = {0b11'01};  // k = 1 and k = 3
  for (std::int64_t k = 0; k < 4; ++k) {
    fragment.b[as_size(k * shape.pitch)] = encode(DataType::fp16, static_cast<double>(k));
    fragment.b[as_size(k * shape.pitch + 1)] = encode(DataType::fp16, static_cast<double>(-k));
  }
  std::vector<std::uint32_t> sums(as_size(shape.pitch));
  sums[0] = fp32(0.5F);
  unit.execute(fragment, sums);
  EXPECT_EQ(sums[0], fp32(310.5F));
  EXPECT_EQ(sums[1], fp32(-310.0F));
}

TEST(Mma, RoundsOncePerProductInAscendingK) {
  const FragmentShape shape(warp_kernel(DataType::tf32, kDense, 1, 1, 4));
  MmaUnit unit(DataType::tf32, kDense, shape);
  Fragment fragment = zero_fragment(shape);
  // 2^24 + 1 rounds back to 2^24 each time; in another order the ones would add up first.
  fragment.a = {fp32(4096.0F), fp32(1.0F), fp32(1.0F), fp32(1.0F)};
  fragment.b[0] = fp32(4096.0F);
  for (std::size_t k = 1; k < 4; ++k) fragment.b[k * as_size(shape.pitch)] = fp32(1.0F);
  std::vector<std::uint32_t> sums(as_size(shape.pitch));
  unit.execute(fragment, sums);
  EXPECT_EQ(sums[0], fp32(16777216.0F));
}

/// 7 * -8 at k = 2 and -8 * -8 at k = 3.
TEST(Mma, PairsOfNibblesMeetTheirPairsOfB) {
  const FragmentShape shape(warp_kernel(DataType::int4, {2, 4, 2}, 1, 1, 4));
  MmaUnit unit(DataType::int4, {2, 4, 2}, shape);
  Fragment fragment = zero_fragment(shape);
  fragment.a = {0x7, 0x8};
  fragment.metadata = {1};
  const std::vector<std::uint32_t> b{0x1, 0x2, 0x8, 0x8};
  for (std::size_t k = 0; k < b.size(); ++k) fragment.b[k * as_size(shape.pitch)] = b[k];
  std::vector<std::uint32_t> sums(as_size(shape.pitch));
  sums[0] = 100;
  unit.execute(fragment, sums);
  EXPECT_EQ(sums[0], 100U - 56U + 64U);
}

TEST(Mma, IntegersWrapAround) {
  const FragmentShape shape(warp_kernel(DataType::int8, kDense, 1, 1, 1));
  MmaUnit unit(DataType::int8, kDense, shape);
  Fragment fragment = zero_fragment(shape);
  fragment.a = {0x80};
  fragment.b[0] = 0x80;
  std::vector<std::uint32_t> sums(as_size(shape.pitch));
  sums[0] = 0x7fffffff;
  unit.execute(fragment, sums);
  EXPECT_EQ(sums[0], 0x7fffffffU + 16384U);
}

TEST(Mma, AddWordsFollowsTheAccumulatorType) {
  std::vector<std::uint32_t> into{fp32(1.5F)};
  add_words(DataType::fp32, std::vector<std::uint32_t>{fp32(-4.0F)}, into);
  EXPECT_EQ(into[0], fp32(-2.5F));
  into = {0xffffffff};
  add_words(DataType::int32, std::vector<std::uint32_t>{3}, into);
  EXPECT_EQ(into[0], 2U);
}

std::vector<std::int32_t> select(Pattern hardware, const std::vector<std::uint32_t>& metadata,
                                 std::size_t stored) {
  std::vector<std::int32_t> rows(stored, -1);
  FunctionalOperandSelector(hardware).select(metadata, rows);
  return rows;
}

TEST(OperandSelector, DensePassesEveryRowOn) {
  EXPECT_EQ(select(kDense, {}, 4), (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST(OperandSelector, RoutesByPositionWithinTheGroup) {
  EXPECT_EQ(select({2, 4}, {0b11'00'11'01}, 4), (std::vector<std::int32_t>{1, 3, 4, 7}));
  EXPECT_EQ(select({1, 2}, {0b0110}, 4), (std::vector<std::int32_t>{0, 3, 5, 6}));
}

TEST(OperandSelector, RoutesBothValuesOfAPair) {
  EXPECT_EQ(select({4, 8, 2}, {0b11'00'10'01}, 8),
            (std::vector<std::int32_t>{2, 3, 4, 5, 8, 9, 14, 15}));
  EXPECT_EQ(select({2, 4, 2}, {0b10}, 4), (std::vector<std::int32_t>{0, 1, 6, 7}));
}

TEST(OperandSelector, ReadsPositionsThatStraddleWords) {
  // 1:8, three bits per group; the eleventh position lies in bits 30..32: 0b110.
  EXPECT_EQ(select({1, 8}, {0x80000000, 0x1}, 11).back(), 10 * 8 + 0b110);
}

TEST(OperandSelector, RefusesAPositionOutsideItsGroup) {
  EXPECT_EQ(select({1, 3}, {0b10'01}, 2), (std::vector<std::int32_t>{1, 5}));
  try {
    select({1, 3}, {0b11'01}, 2);
    FAIL() << "no error";
  } catch (const SimulationError& error) {
    EXPECT_STREQ(error.what(),
                 "operand_selector: metadata selects value 3 of group 1, but a group has 3 values");
  }
}

}  // namespace
}  // namespace stcsim
