#include <algorithm>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "pruning/schemes.hpp"
#include "sim/functional/operands.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

constexpr std::uint64_t kOperandSeed = 7;

std::int64_t most_kept(const PlainMatrix& a, Pattern pattern) {
  std::int64_t most = 0;
  for (std::int64_t batch = 0; batch < a.batch_count; ++batch) {
    for (std::int64_t row = 0; row < a.rows; ++row) {
      for (std::int64_t begin = 0; begin < a.columns; begin += pattern.m) {
        std::int64_t kept = 0;
        for (std::int64_t k = begin; k < std::min(begin + pattern.m, a.columns); ++k) {
          kept += a.at(batch, row, k) != 0.0F ? 1 : 0;
        }
        most = std::max(most, kept);
      }
    }
  }
  return most;
}

TEST(PrunedOperands, KeepThePatternByEveryScheme) {
  for (const pruning::Scheme& scheme : pruning::schemes()) {
    const Pattern pattern = scheme.only.value_or(Pattern{2, 4});
    const GemmProblem problem = test::make_problem(16, 8, 32, 2, DataType::fp16, pattern);
    EXPECT_EQ(most_kept(pruned_operands(problem, kOperandSeed, scheme.name).a, pattern), pattern.n)
        << scheme.name;
  }
}

/// Magnitude pruning is what random operands are pruned by without a scheme.
TEST(PrunedOperands, ByMagnitudeAreTheOperandsOfNoScheme) {
  const GemmProblem problem = test::make_problem(16, 8, 30, 2, DataType::bf16, {2, 4});
  const PlainOperands expected = random_operands(problem, kOperandSeed);
  const PlainOperands pruned = pruned_operands(problem, kOperandSeed, "magnitude");
  EXPECT_EQ(pruned.a.values, expected.a.values);
  EXPECT_EQ(pruned.b.values, expected.b.values);
}

/// K permuted in both operands: every column of A stands before the row of B it stood before.
TEST(PrunedOperands, APermutationOfKMovesBoth) {
  const GemmProblem problem = test::make_problem(8, 4, 16, 1, DataType::fp16, {2, 4});
  GemmProblem dense = problem;
  dense.a_pattern = kDense;
  const PlainOperands before = random_operands(dense, kOperandSeed);
  const PlainOperands after = pruned_operands(problem, kOperandSeed, "asp-permuted");
  for (std::int64_t k = 0; k < problem.k; ++k) {
    std::int64_t from = 0;
    while (from < problem.k && before.b.at(0, from, 0) != after.b.at(0, k, 0)) ++from;
    ASSERT_LT(from, problem.k);
    for (std::int64_t row = 0; row < problem.m; ++row) {
      const float value = after.a.at(0, row, k);
      if (value != 0.0F) {
        EXPECT_EQ(value, before.a.at(0, row, from));
      }
    }
  }
}

PlainMatrix counting(const GemmProblem& problem) {
  PlainMatrix a(problem.batch_count, problem.m, problem.k);
  for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] = static_cast<float>(i) + 1;
  return a;
}

TEST(GivenOperands, AreTakenAsTheyAreInTheOperandType) {
  const GemmProblem problem = test::make_problem(2, 4, 8, 2, DataType::fp16, kDense);
  PlainMatrix a = counting(problem);
  a.at(1, 1, 7) = 2049;  // between two numbers of fp16, 2048 is the even one
  const PlainOperands operands = given_operands(problem, a, kOperandSeed, "");
  EXPECT_EQ(operands.a.at(0, 0, 0), 1);
  EXPECT_EQ(operands.a.at(1, 0, 3), 20);
  EXPECT_EQ(operands.a.at(1, 1, 7), 2048);
  EXPECT_EQ(operands.b.values, random_operands(problem, kOperandSeed).b.values);
}

TEST(GivenOperands, SatisfyThePatternOrArePrunedFirst) {
  const GemmProblem problem = test::make_problem(3, 4, 10, 1, DataType::fp16, {1, 4});
  PlainMatrix a(1, 3, 10);
  a.at(0, 0, 1) = 5;
  a.at(0, 2, 9) = 7;
  EXPECT_EQ(given_operands(problem, a, kOperandSeed, "").a.values, a.values);
  a.at(0, 2, 5) = 3;
  a.at(0, 2, 6) = -4;
  try {
    (void)given_operands(problem, a, kOperandSeed, "");
    FAIL() << "two of four were kept";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(
        error.what(),
        "error: A does not satisfy 1:4: batch 0, row 2, the group from k = 4 on has too many "
        "non-zeros; it can be pruned first (--prune, or 'stcsim prune')");
  }
  a = given_operands(problem, a, kOperandSeed, "magnitude").a;
  EXPECT_EQ(a.at(0, 2, 5), 0);
  EXPECT_EQ(a.at(0, 2, 6), -4);
}

TEST(GivenOperands, OfAnotherShapeAreAnError) {
  const GemmProblem problem = test::make_problem(3, 4, 8, 1, DataType::fp16, {1, 4});
  EXPECT_THROW((void)given_operands(problem, PlainMatrix(1, 8, 3), kOperandSeed, ""), ConfigError);
  EXPECT_THROW((void)given_operands(problem, PlainMatrix(2, 3, 8), kOperandSeed, ""), ConfigError);
}

TEST(PrunedOperands, AnUnknownSchemeIsAnError) {
  const GemmProblem problem = test::make_problem(16, 8, 32, 1, DataType::fp16, {2, 4});
  EXPECT_THROW(static_cast<void>(pruned_operands(problem, kOperandSeed, "magic")), ConfigError);
}

}  // namespace
}  // namespace stcsim
