#include <gtest/gtest.h>

#include "models/functional/compressed_matrix.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

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

}  // namespace
}  // namespace stcsim
