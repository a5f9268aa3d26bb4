#include <vector>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "models/functional/mma.hpp"

namespace stcsim {
namespace {

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
