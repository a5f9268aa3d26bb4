#include "sim/functional/pruned_operands.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "pruning/schemes.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

constexpr std::uint64_t kSeed = 7;

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
    EXPECT_EQ(most_kept(pruned_operands(problem, kSeed, scheme.name).a, pattern), pattern.n)
        << scheme.name;
  }
}

/// Magnitude pruning is what random operands are pruned by without a scheme.
TEST(PrunedOperands, ByMagnitudeAreTheOperandsOfNoScheme) {
  const GemmProblem problem = test::make_problem(16, 8, 30, 2, DataType::bf16, {2, 4});
  const PlainOperands expected = random_operands(problem, kSeed);
  const PlainOperands pruned = pruned_operands(problem, kSeed, "magnitude");
  EXPECT_EQ(pruned.a.values, expected.a.values);
  EXPECT_EQ(pruned.b.values, expected.b.values);
}

/// K permuted in both operands: every column of A stands before the row of B it stood before.
TEST(PrunedOperands, APermutationOfKMovesBoth) {
  const GemmProblem problem = test::make_problem(8, 4, 16, 1, DataType::fp16, {2, 4});
  GemmProblem dense = problem;
  dense.a_pattern = kDense;
  const PlainOperands before = random_operands(dense, kSeed);
  const PlainOperands after = pruned_operands(problem, kSeed, "asp-permuted");
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

TEST(PrunedOperands, AnUnknownSchemeIsAnError) {
  const GemmProblem problem = test::make_problem(16, 8, 32, 1, DataType::fp16, {2, 4});
  EXPECT_THROW(static_cast<void>(pruned_operands(problem, kSeed, "magic")), ConfigError);
}

}  // namespace
}  // namespace stcsim
