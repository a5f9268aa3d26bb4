#include "common/gemm.hpp"

#include <array>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kLargestMacs = std::numeric_limits<std::int64_t>::max() / 16;

GemmProblem problem_of(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.batch_count = batch;
  return problem;
}

/// What validate() says, "" if it accepts.
std::string complaint_about(const GemmProblem& problem) {
  try {
    validate(problem, "fc1 forward");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(GemmProblem, CountsMacsOfTheWholeBatch) {
  EXPECT_EQ(problem_of(3, 5, 7, 1).macs(), 105);
  EXPECT_EQ(problem_of(3, 5, 7, 2).macs(), 210);
}

TEST(GemmProblem, SmallestIsValid) {
  EXPECT_EQ(complaint_about(problem_of(1, 1, 1, 1)), "");
}

TEST(GemmProblem, EveryDimensionMustBePositive) {
  const std::array<const char*, 4> names{"m", "n", "k", "batch_count"};
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    for (const std::int64_t bad :
         {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
      std::array<std::int64_t, 4> sizes{8, 8, 8, 8};
      sizes.at(axis) = bad;
      EXPECT_EQ(complaint_about(problem_of(sizes[0], sizes[1], sizes[2], sizes[3])),
                std::string("error: fc1 forward: ") + names.at(axis) + " is " +
                    std::to_string(bad) + ", must be at least 1");
    }
  }
}

TEST(GemmProblem, LargestCountIsTheLastAccepted) {
  EXPECT_EQ(complaint_about(problem_of(kLargestMacs, 1, 1, 1)), "");
  EXPECT_EQ(complaint_about(problem_of(1, 1, 1, kLargestMacs)), "");
  EXPECT_EQ(complaint_about(problem_of(kLargestMacs / 2, 2, 1, 1)), "");
}

TEST(GemmProblem, OverflowIsRefusedHoweverItArises) {
  const std::string expected =
      "error: fc1 forward: m*n*k*batch_count overflows; it must stay below 576460752303423487";
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t k32Bits = std::int64_t{1} << 32;
  EXPECT_EQ(complaint_about(problem_of(kLargestMacs + 1, 1, 1, 1)), expected);
  EXPECT_EQ(complaint_about(problem_of(1, kLargestMacs + 1, 1, 1)), expected);
  EXPECT_EQ(complaint_about(problem_of(kLargestMacs / 2 + 1, 2, 1, 1)), expected);
  EXPECT_EQ(complaint_about(problem_of(kHuge, kHuge, kHuge, kHuge)), expected);
  // The product is 0 modulo 2^64: only an overflow check before multiplying notices.
  EXPECT_EQ(complaint_about(problem_of(k32Bits, k32Bits, 1, 1)), expected);
}

TEST(GemmProblem, DifferenceInAnyFieldCounts) {
  const GemmProblem base = problem_of(8, 16, 32, 2);
  GemmProblem other = base;
  EXPECT_EQ(base, other);
  other.b_layout = OperandLayout::mn_major;
  EXPECT_NE(base, other);
  other = base;
  other.a.unique_k = 4;
  EXPECT_NE(base, other);
  other = base;
  other.a_pattern = {2, 4};
  EXPECT_NE(base, other);
}

}  // namespace
}  // namespace stcsim
