#include "models/functional/functional_datapath.hpp"

#include <string>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "sim/functional/operands.hpp"
#include "sim/functional/reference_gemm.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/run_without_timing.hpp"

namespace stcsim {
namespace {

constexpr std::uint64_t kDatapathSeed = 20240607;

/// A small kernel that still has several of everything. Hardware pattern as the tensor's.
FunctionalKernel small_kernel(std::int64_t m, std::int64_t n, std::int64_t k, Pattern pattern,
                              DataType type = DataType::fp16) {
  FunctionalKernel kernel;
  kernel.problem = test::make_problem(m, n, k, 1, type, pattern);
  kernel.pattern = pattern;
  kernel.tile_m = 16;
  kernel.tile_n = 24;
  kernel.tile_k = 64;
  kernel.instruction_k = 32;
  kernel.stages = 2;
  kernel.warps_m = 2;
  kernel.warps_n = 3;
  kernel.num_sms = 2;
  kernel.slots_per_sm = 2;
  return kernel;
}

PlainMatrix run(const FunctionalKernel& kernel, const FunctionalOperands& operands) {
  FunctionalDatapath datapath(kernel, operands);
  test::run_without_timing(datapath, kernel);
  return from_machine(kernel.problem, datapath.c());
}

void expect_matches(const FunctionalKernel& kernel) {
  const PlainOperands operands = random_operands(kernel.problem, kDatapathSeed);
  const PlainMatrix expected = reference_gemm(kernel.problem, operands, test::order_of(kernel));
  const MatrixComparison result = compare(run(kernel, to_machine(kernel, operands)), expected);
  EXPECT_TRUE(result.passed()) << result.to_string() << " (seed " << kDatapathSeed << ")";
}

struct PatternCase {
  Pattern tensor;
  Pattern hardware;
};

TEST(FunctionalDatapath, MatchesTheReferenceForEveryPattern) {
  for (const auto& [tensor, hardware] : std::vector<PatternCase>{{kDense, kDense},
                                                                 {{2, 4}, {2, 4}},
                                                                 {{1, 2}, {1, 2}},
                                                                 {{1, 4}, {1, 4}},
                                                                 {{2, 8}, {2, 8}},
                                                                 {{4, 8}, {4, 8}},
                                                                 {{1, 8}, {1, 8}},
                                                                 {{4, 32}, {4, 32}},
                                                                 {{1, 2}, {2, 4}},
                                                                 {{1, 4}, {2, 4}},
                                                                 {{2, 8}, {2, 4}},
                                                                 {{2, 16}, {2, 4}},
                                                                 {{2, 4}, {4, 8}},
                                                                 {{4, 8}, kDense},
                                                                 {{4, 32}, kDense},
                                                                 {{2, 4}, kDense}}) {
    SCOPED_TRACE(tensor.to_string() + " on " + hardware.to_string());
    FunctionalKernel kernel = small_kernel(33, 50, 150, tensor);
    kernel.pattern = hardware;
    expect_matches(kernel);
  }
}

TEST(FunctionalDatapath, MatchesTheReferenceWhereGroupsAreNotAPowerOfTwo) {
  FunctionalKernel kernel = small_kernel(19, 25, 100, {3, 5});
  kernel.instruction_k = 20;
  kernel.tile_k = 40;
  expect_matches(kernel);
}

TEST(FunctionalDatapath, MatchesTheReferenceForEveryTypeAndLayout) {
  for (const DataType type : operand_data_types()) {
    for (int layouts = 0; layouts < 8; ++layouts) {
      for (const Pattern pattern : {kDense, Pattern{2, 4}}) {
        SCOPED_TRACE(std::string(to_string(type)) + " layouts " + std::to_string(layouts) + " " +
                     pattern.to_string());
        FunctionalKernel kernel = small_kernel(17, 26, 70, pattern, type);
        const auto layout = [&](int bit) {
          return (layouts & bit) != 0 ? OperandLayout::mn_major : OperandLayout::k_major;
        };
        kernel.problem.a_layout = layout(1);
        kernel.problem.b_layout = layout(2);
        kernel.problem.c_layout =
            (layouts & 4) != 0 ? OutputLayout::column_major : OutputLayout::row_major;
        expect_matches(kernel);
      }
    }
  }
}

class EdgeSizes : public testing::TestWithParam<Pattern> {};

TEST_P(EdgeSizes, MatchTheReferenceAlongEveryAxis) {
  for (const std::int64_t m : {1, 15, 16, 17, 37}) {
    for (const std::int64_t n : {1, 23, 24, 25, 53}) {
      for (const std::int64_t k : {1, 31, 63, 64, 65, 131}) {
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k));
        expect_matches(small_kernel(m, n, k, GetParam()));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, EdgeSizes,
                         testing::Values(kDense, Pattern{2, 4}, Pattern{1, 8}, Pattern{4, 32}),
                         [](const auto& test) {
                           return test.param.is_dense() ? std::string("dense")
                                                        : std::to_string(test.param.n) + "of" +
                                                              std::to_string(test.param.m);
                         });

TEST(FunctionalDatapath, MatchesTheReferenceForBatches) {
  for (const Pattern pattern : {kDense, Pattern{2, 4}}) {
    FunctionalKernel kernel = small_kernel(18, 30, 66, pattern);
    kernel.problem.batch_count = 3;
    kernel.problem.b_layout = OperandLayout::mn_major;
    expect_matches(kernel);
  }
}

TEST(FunctionalDatapath, MatchesTheReferenceForSplitK) {
  for (const DataType type : operand_data_types()) {
    for (const std::int64_t split_k : {2, 3, 7}) {  // 7 splits of 5 k-steps: two are empty
      SCOPED_TRACE(std::string(to_string(type)) + " splits " + std::to_string(split_k));
      FunctionalKernel kernel = small_kernel(17, 25, 301, {2, 4}, type);
      kernel.problem.batch_count = 2;
      kernel.split_k = split_k;
      expect_matches(kernel);
    }
  }
}

TEST(FunctionalDatapath, MatchesTheReferenceForWarpSlicesOfK) {
  for (const DataType type : operand_data_types()) {
    FunctionalKernel kernel = small_kernel(17, 25, 301, {2, 4}, type);
    kernel.tile_k = 128;
    kernel.warps_k = 2;
    kernel.split_k = 2;
    kernel.problem.c_layout = OutputLayout::column_major;
    SCOPED_TRACE(to_string(type));
    expect_matches(kernel);
  }
}

TEST(FunctionalDatapath, PipelineDepthsDoNotChangeTheResult) {
  for (const std::int64_t stages : {1, 2, 3, 5}) {
    for (const std::int64_t buffers : {1, 2, 3}) {
      FunctionalKernel kernel = small_kernel(17, 25, 301, {2, 4});
      kernel.stages = stages;
      kernel.fragment_buffers = buffers;
      SCOPED_TRACE(std::to_string(stages) + " stages, " + std::to_string(buffers) + " buffers");
      expect_matches(kernel);
    }
  }
}

/// The order of accumulation is part of what is checked: fp32 results tell two orders apart.
TEST(FunctionalDatapath, FollowsItsOwnOrderOfAccumulationOnly) {
  FunctionalKernel kernel = small_kernel(16, 24, 256, kDense, DataType::tf32);
  kernel.split_k = 2;
  const PlainOperands operands = random_operands(kernel.problem, kDatapathSeed);
  const PlainMatrix c = run(kernel, to_machine(kernel, operands));
  const auto against = [&](const AccumulationOrder& order) {
    return compare(c, reference_gemm(kernel.problem, operands, order)).mismatches;
  };
  EXPECT_EQ(against(test::order_of(kernel)), 0);
  EXPECT_GT(against(ascending_order(kernel.problem)), 0);
}

/// Splits need not end at whole groups: the rest of a group counts as zero.
TEST(FunctionalDatapath, ARangeThatEndsInsideAGroupIsFilledUpWithZeros) {
  FunctionalKernel kernel = small_kernel(16, 24, 64, {2, 4}, DataType::tf32);
  const PlainOperands operands = random_operands(kernel.problem, kDatapathSeed);
  FunctionalDatapath datapath(kernel, to_machine(kernel, operands));
  test::run_cta(datapath, kernel, 0, 0, {0, 0, 0, 0, 8, 41});
  const PlainMatrix expected =
      reference_gemm(kernel.problem, operands, {{{8, 41}}, kernel.tile_k, 1});
  EXPECT_EQ(compare(from_machine(kernel.problem, datapath.c()), expected).to_string(),
            "all 384 elements match");
}

class FlippedMetadata : public testing::TestWithParam<Pattern> {};

/// Every metadata bit of a stored non-zero decides which value of B it meets.
TEST_P(FlippedMetadata, ChangesTheRowItBelongsTo) {
  const Pattern pattern = GetParam();
  const FunctionalKernel kernel = small_kernel(5, 24, 64, pattern, DataType::tf32);
  const PlainOperands operands = random_operands(kernel.problem, kDatapathSeed);
  const FunctionalOperands good = to_machine(kernel, operands);
  const PlainMatrix expected = reference_gemm(kernel.problem, operands, test::order_of(kernel));
  for (std::int64_t row = 0; row < kernel.problem.m; ++row) {
    for (std::int64_t bit = 0; bit < pattern.metadata_bits_per_group(); ++bit) {
      FunctionalOperands bad = good;
      bad.compressed_a.front().flip_metadata_bit({row, 1, bit});
      const MatrixComparison result = compare(run(kernel, bad), expected);
      ASSERT_EQ(result.mismatches, kernel.problem.n) << "row " << row << " bit " << bit;
      EXPECT_EQ(result.first->row, row);
      EXPECT_EQ(result.first->column, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, FlippedMetadata,
                         testing::Values(Pattern{2, 4}, Pattern{1, 2}, Pattern{1, 8},
                                         Pattern{4, 32}));

TEST(FunctionalDatapath, RefusesOperandsThatViolateTheHardware) {
  FunctionalKernel kernel = small_kernel(4, 4, 16, {2, 4});
  PlainOperands operands = random_operands(kernel.problem, kDatapathSeed);
  for (std::int64_t k = 8; k < 11; ++k) operands.a.at(0, 2, k) = 1.0F;
  operands.a.at(0, 2, 11) = 0.0F;
  try {
    (void)to_machine(kernel, operands);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "error: A does not satisfy 2:4: batch 0, row 2, group 2 (k from 8) has 3 "
                 "non-zeros, at most 2 are allowed");
  }
}

}  // namespace
}  // namespace stcsim
