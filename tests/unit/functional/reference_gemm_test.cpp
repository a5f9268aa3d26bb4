#include "sim/functional/reference_gemm.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

constexpr std::uint64_t kReferenceSeed = 20240612;

PlainMatrix matrix(std::int64_t batches, std::int64_t rows, std::int64_t columns,
                   std::vector<float> values) {
  PlainMatrix result(batches, rows, columns);
  result.values = std::move(values);
  return result;
}

TEST(ReferenceGemm, MultipliesByHand) {
  const GemmProblem problem = test::make_problem(2, 2, 3, 1, DataType::fp16);
  const PlainOperands operands{matrix(1, 2, 3, {1, 2, 3, 4, 5, 6}),
                               matrix(1, 3, 2, {1, -1, 0, 2, 10, 0.5})};
  EXPECT_EQ(reference_gemm(problem, operands, ascending_order(problem)).values,
            (std::vector<float>{31, 4.5, 64, 9}));
}

TEST(ReferenceGemm, KeepsBatchesApart) {
  const GemmProblem problem = test::make_problem(1, 1, 2, 2, DataType::fp16);
  const PlainOperands operands{matrix(2, 1, 2, {1, 2, 3, 4}), matrix(2, 2, 1, {1, 10, 100, 1000})};
  EXPECT_EQ(reference_gemm(problem, operands, ascending_order(problem)).values,
            (std::vector<float>{21, 4300}));
}

/// 2^24 + 1 is not an fp32 number: where the ones are added up apart, they count.
TEST(ReferenceGemm, RoundsInTheOrderOfTheKernel) {
  const GemmProblem problem = test::make_problem(1, 1, 4, 1, DataType::tf32);
  const PlainOperands operands{matrix(1, 1, 4, {16777216, 1, 1, 1}), matrix(1, 4, 1, {1, 1, 1, 1})};
  const auto sum = [&](const AccumulationOrder& order) {
    return reference_gemm(problem, operands, order).values.front();
  };
  EXPECT_EQ(sum(ascending_order(problem)), 16777216.0F);
  EXPECT_EQ(sum({{{0, 2}, {2, 4}}, 4, 1}), 16777218.0F);
  EXPECT_EQ(sum({{{0, 4}}, 4, 2}), 16777218.0F);
  EXPECT_EQ(sum({{{0, 4}}, 2, 2}), 16777218.0F);
  EXPECT_EQ(sum({{{0, 1}, {1, 4}}, 4, 1}), 16777220.0F);
  EXPECT_EQ(sum({{{0, 4}, {4, 4}}, 4, 1}), 16777216.0F);
}

/// Operands with `exponent` or a little more, of 11 significant bits as tf32 has at most.
PlainOperands random_tf32_operands(const GemmProblem& problem, int exponent) {
  PlainOperands operands{PlainMatrix(1, problem.m, problem.k),
                         PlainMatrix(1, problem.k, problem.n)};
  std::mt19937_64 engine(kReferenceSeed);
  for (std::vector<float>* values : {&operands.a.values, &operands.b.values}) {
    for (float& value : *values) {
      const std::uint64_t bits = engine();
      const auto significand = static_cast<float>(1024 + bits % 1024);
      const int scale = exponent - 10 + static_cast<int>((bits >> 32U) % 12);
      value = std::ldexp((bits >> 63U) != 0 ? -significand : significand, scale);
    }
  }
  return operands;
}

/// Products that are subnormal, that vanish beside the smallest sum, ordinary ones, and ones that
/// overflow.
TEST(ReferenceGemm, RoundsEverySumAsAFusedMultiplyAddDoes) {
  const GemmProblem problem = test::make_problem(20, 37, 200, 1, DataType::tf32);
  for (const int exponent : {-90, -80, -75, -70, -65, -60, -5, 50, 55, 60}) {
    const PlainOperands operands = random_tf32_operands(problem, exponent);
    const PlainMatrix c = reference_gemm(problem, operands, ascending_order(problem));
    for (std::int64_t row = 0; row < problem.m; ++row) {
      for (std::int64_t column = 0; column < problem.n; ++column) {
        float sum = 0;
        for (std::int64_t k = 0; k < problem.k; ++k) {
          sum = std::fma(operands.a.at(0, row, k), operands.b.at(0, k, column), sum);
        }
        const float got = c.at(0, row, column);
        ASSERT_TRUE(got == sum || (std::isnan(got) && std::isnan(sum)))
            << "exponent " << exponent << ", row " << row << ", column " << column << ": " << got
            << " is not " << sum << ", seed " << kReferenceSeed;
      }
    }
  }
}

TEST(ReferenceGemm, RoundsTheSumToTheOutputType) {
  const GemmProblem problem = test::make_problem(1, 1, 2, 1, DataType::fp16);
  const PlainOperands operands{matrix(1, 1, 2, {2048, 1}), matrix(1, 2, 1, {1, 1})};
  EXPECT_EQ(reference_gemm(problem, operands, ascending_order(problem)).values.front(), 2048.0F);
}

TEST(ReferenceGemm, Int8SumsAreExactAndSaturateOnOutput) {
  const GemmProblem problem = test::make_problem(1, 2, 3, 1, DataType::int8);
  const PlainOperands operands{matrix(1, 1, 3, {100, 100, -100}),
                               matrix(1, 3, 2, {100, 100, 100, 1, 100, 100})};
  EXPECT_EQ(reference_gemm(problem, operands, ascending_order(problem)).values,
            (std::vector<float>{127, 100}));
}

TEST(Compare, CountsMismatchesAndNamesTheFirst) {
  const PlainMatrix expected = matrix(2, 1, 3, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(compare(expected, expected).to_string(), "all 6 elements match");
  const MatrixComparison result = compare(matrix(2, 1, 3, {1, 2, 3, 4, 5.5, 7}), expected);
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.to_string(),
            "2 of 6 elements differ; first at batch 1, row 0, column 1: got 5.5, expected 5");
}

TEST(Compare, ZerosOfEitherSignAreEqualAndNaNNeverIs) {
  EXPECT_TRUE(compare(matrix(1, 1, 1, {-0.0F}), matrix(1, 1, 1, {0.0F})).passed());
  const PlainMatrix nan = matrix(1, 1, 1, {std::numeric_limits<float>::quiet_NaN()});
  EXPECT_EQ(compare(nan, nan).mismatches, 1);
}

TEST(Compare, RefusesDifferentShapes) {
  EXPECT_THROW((void)compare(PlainMatrix(1, 2, 3), PlainMatrix(1, 3, 2)), ConfigError);
}

}  // namespace
}  // namespace stcsim
