#include <gtest/gtest.h>

#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/library.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

constexpr Pattern kTwoOfFour{2, 4};

/// Rows of k elements of two bytes: 8 of them make 16 bytes.
TEST(Alignment, IsTheLargestPowerOfTwoInARow) {
  const std::pair<std::int64_t, std::int64_t> by_k[]{{8, 16}, {4096, 16}, {4, 8}, {12, 8},
                                                     {2, 4},  {4094, 4},  {1, 2}, {4095, 2}};
  for (const auto& [k, bytes] : by_k) {
    EXPECT_EQ(access_bytes(test::make_problem(7, 5, k), kDense), bytes) << k;
  }
  EXPECT_EQ(access_bytes(test::make_problem(7, 5, 4095, 1, DataType::tf32), kDense), 4);
  EXPECT_EQ(access_bytes(test::make_problem(7, 5, 4095, 1, DataType::int8), kDense), 1);
}

/// Rows along M and N where the layouts say so; the worse of both operands counts.
TEST(Alignment, FollowsTheLayouts) {
  GemmProblem problem = test::make_problem(24, 4, 4095);
  problem.a_layout = problem.b_layout = OperandLayout::mn_major;
  EXPECT_EQ(access_bytes(problem, kDense), 8);
  problem.n = 16;
  EXPECT_EQ(access_bytes(problem, kDense), 16);
  problem.a_layout = OperandLayout::k_major;
  EXPECT_EQ(access_bytes(problem, kDense), 2);
}

/// A keeps half its row: k = 8 leaves 8 bytes of it.
TEST(Alignment, IsThatOfTheCompressedRow) {
  const GemmProblem problem = test::make_problem(16, 16, 8, 1, DataType::fp16, kTwoOfFour);
  EXPECT_EQ(access_bytes(problem, kDense), 16);
  EXPECT_EQ(access_bytes(problem, kTwoOfFour), 8);
}

/// Seven by seven taps of three channels: 147 elements, but pixels are padded.
TEST(Alignment, OfAConvolutionIsThatOfPaddedPixels) {
  GemmProblem problem = test::make_problem(64, 1024, 147);
  EXPECT_EQ(access_bytes(problem, kDense), 2);
  problem.b.unique_k = 3 * 4;
  EXPECT_EQ(access_bytes(problem, kDense), 16);
  // Of wgrad with a stride, and of products whose operands are exchanged, A is gathered.
  std::swap(problem.a, problem.b);
  EXPECT_EQ(access_bytes(problem, kDense), 16);
}

/// The library's kernels for any alignment are for rows that need them, the others for the rest.
TEST(Alignment, DecidesWhichKernelsALibraryConsiders) {
  MachineConfig machine = test::tiny_machine();
  LibraryConfig library;
  library.name = "library";
  library.kernels.resize(2);
  for (LibraryKernel& one : library.kernels) one.kernel = machine.kernels.front();
  library.kernels[0].kernel.name = "aligned";
  library.kernels[1].kernel.name = "any";
  library.kernels[1].any_alignment = true;
  machine.libraries = {library};
  machine.stacks = {{"users", "library", kByHeuristic, kOwnKernels, kBySearch}};
  const auto chosen = [&](std::int64_t k) {
    return kernel_candidates(machine, test::make_problem(64, 64, k), {kDense},
                             {"auto", {}, "users"})
        .front()
        .kernel.config.name;
  };
  EXPECT_EQ(chosen(64), "aligned");
  EXPECT_EQ(chosen(63), "any");
  machine.libraries[0].kernels.pop_back();
  EXPECT_EQ(chosen(63), "aligned");
}

}  // namespace
}  // namespace stcsim
