#include "sim/functional/operands.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "models/functional/number_format.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

PlainMatrix row_of(std::vector<float> values) {
  PlainMatrix matrix(1, 1, std::ssize(values));
  matrix.values = std::move(values);
  return matrix;
}

FunctionalKernel dense_kernel(const GemmProblem& problem) {
  FunctionalKernel kernel;
  kernel.problem = problem;
  kernel.tile_m = kernel.tile_n = kernel.tile_k = kernel.instruction_k = 8;
  return kernel;
}

TEST(Pruning, KeepsTheLargestMagnitudesAndTheLowerIndexOfEqualOnes) {
  PlainMatrix matrix = row_of({1, 7, -3, 2, 4, -4, 4, 4, 5, 0, 0, 0});
  prune_by_magnitude(matrix, {2, 4});
  EXPECT_EQ(matrix.values, (std::vector<float>{0, 7, -3, 0, 4, -4, 0, 0, 5, 0, 0, 0}));
}

TEST(Pruning, AShorterLastGroupKeepsAsMany) {
  PlainMatrix matrix = row_of({1, 2, 3, 4, 5, 6, 7});
  prune_by_magnitude(matrix, {2, 4});
  EXPECT_EQ(matrix.values, (std::vector<float>{0, 0, 3, 4, 0, 6, 7}));
  matrix = row_of({1, 2, 3, 4, 5});
  prune_by_magnitude(matrix, {2, 4});
  EXPECT_EQ(matrix.values, (std::vector<float>{0, 0, 3, 4, 5}));
}

TEST(Pruning, KeepsThePairsWithTheLargestSumsOfMagnitudes) {
  PlainMatrix matrix = row_of({5, 0, -3, 3, 4, -1, 2, 2});
  prune_by_magnitude(matrix, {4, 8, 2});
  EXPECT_EQ(matrix.values, (std::vector<float>{5, 0, -3, 3, 0, 0, 0, 0}));
  matrix = row_of({1, 1, 2, 0, 2, 2, 0, -2});
  prune_by_magnitude(matrix, {4, 8, 2});
  EXPECT_EQ(matrix.values, (std::vector<float>{1, 1, 0, 0, 2, 2, 0, 0}));
}

/// The last pair has one element only.
TEST(Pruning, AShorterLastGroupKeepsAsManyPairs) {
  PlainMatrix matrix = row_of({1, 1, 2, 2, 5});
  prune_by_magnitude(matrix, {4, 8, 2});
  EXPECT_EQ(matrix.values, (std::vector<float>{0, 0, 2, 2, 5}));
}

TEST(Pruning, DenseKeepsEverything) {
  PlainMatrix matrix = row_of({1, 2, 3});
  prune_by_magnitude(matrix, kDense);
  EXPECT_EQ(matrix.values, (std::vector<float>{1, 2, 3}));
}

TEST(RandomOperands, AreRepresentableFiniteAndFollowTheSeed) {
  for (const DataType type : operand_data_types()) {
    const GemmProblem problem = test::make_problem(20, 30, 40, 2, type, {2, 4});
    const PlainOperands operands = random_operands(problem, 5);
    ASSERT_EQ(operands.a.values.size(), 2U * 20 * 40);
    ASSERT_EQ(operands.b.values.size(), 2U * 40 * 30);
    for (const float value : operands.b.values) {
      ASSERT_TRUE(std::isfinite(value));
      ASSERT_EQ(decode(type, encode(type, value)), value) << to_string(type);
    }
    EXPECT_EQ(random_operands(problem, 5).b.values, operands.b.values);
    EXPECT_NE(random_operands(problem, 6).b.values, operands.b.values);
  }
}

TEST(RandomOperands, AreRoughlyNormal) {
  const PlainOperands operands = random_operands(test::make_problem(100, 100, 100), 5);
  double sum = 0;
  double squares = 0;
  for (const float value : operands.b.values) {
    sum += value;
    squares += double{value} * value;
  }
  EXPECT_NEAR(sum / 10000, 0.0, 0.05);
  EXPECT_NEAR(squares / 10000, 1.0, 0.05);
}

TEST(RandomOperands, IntegersAreSmallAndOfEverySize) {
  for (const DataType type : {DataType::int8, DataType::int4}) {
    const PlainOperands operands = random_operands(test::make_problem(10, 10, 10, 1, type), 5);
    EXPECT_EQ(std::set<float>(operands.b.values.begin(), operands.b.values.end()),
              (std::set<float>{-2, -1, 0, 1, 2}));
  }
}

TEST(RandomOperands, KeepExactlyNOfEveryGroupOfM) {
  const PlainOperands operands =
      random_operands(test::make_problem(30, 1, 64, 1, DataType::tf32, {4, 32}), 5);
  for (std::size_t group = 0; group < operands.a.values.size(); group += 32) {
    const auto begin = operands.a.values.begin() + static_cast<std::ptrdiff_t>(group);
    ASSERT_EQ(std::count(begin, begin + 32, 0.0F), 28);
  }
}

TEST(MachineOperands, LieInMemoryAsTheLayoutSays) {
  GemmProblem problem = test::make_problem(2, 2, 3, 1, DataType::int8);
  PlainOperands operands{PlainMatrix(1, 2, 3), PlainMatrix(1, 3, 2)};
  operands.a.values = {1, 2, 3, 4, 5, 6};  // m 0: 1 2 3
  operands.b.values = {1, 2, 3, 4, 5, 6};  // k 0: 1 2
  using Words = std::vector<std::uint32_t>;
  FunctionalOperands machine = to_machine(dense_kernel(problem), operands);
  EXPECT_EQ(machine.a.bits, (Words{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(machine.b.bits, (Words{1, 3, 5, 2, 4, 6}));
  problem.a_layout = problem.b_layout = OperandLayout::mn_major;
  machine = to_machine(dense_kernel(problem), operands);
  EXPECT_EQ(machine.a.bits, (Words{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(machine.b.bits, (Words{1, 2, 3, 4, 5, 6}));
}

TEST(MachineOperands, ResultsAreReadAsTheLayoutSays) {
  GemmProblem problem = test::make_problem(2, 3, 1, 1, DataType::int8);
  GlobalTensor c = make_c_tensor(problem);
  c.bits = {1, 2, 3, 4, 5, 0xff};
  EXPECT_EQ(from_machine(problem, c).values, (std::vector<float>{1, 2, 3, 4, 5, -1}));
  problem.c_layout = OutputLayout::column_major;
  EXPECT_EQ(from_machine(problem, c).values, (std::vector<float>{1, 3, 5, 2, 4, -1}));
}

TEST(MachineOperands, RefuseMatricesOfAnotherShape) {
  const GemmProblem problem = test::make_problem(2, 2, 3);
  const PlainOperands operands{PlainMatrix(1, 2, 4), PlainMatrix(1, 3, 2)};
  EXPECT_THROW((void)to_machine(dense_kernel(problem), operands), ConfigError);
}

}  // namespace
}  // namespace stcsim
