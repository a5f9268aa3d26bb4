#include "sim/kernel/sparsity_support.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

SparsitySupport support(Pattern pattern, const std::vector<Pattern>& native) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.operand_selector.native_patterns = native;
  return sparsity_support(machine, DataType::fp16, pattern);
}

TEST(SparsitySupport, DenseIsAlwaysFine) {
  EXPECT_EQ(support(kDense, {}).hardware(), kDense);
  EXPECT_EQ(support(kDense, {}).reason, "");
  EXPECT_EQ(support(kDense, {{2, 4}}).hardware(), kDense);
}

TEST(SparsitySupport, ANativePatternNeedsNoExplanation) {
  EXPECT_EQ(support({2, 4}, {{2, 4}}).hardware(), (Pattern{2, 4}));
  EXPECT_EQ(support({2, 4}, {{2, 4}}).reason, "");
}

TEST(SparsitySupport, ASparserTensorRunsAtTheHardwaresRate) {
  EXPECT_EQ(support({1, 4}, {{2, 4}}).hardware(), (Pattern{2, 4}));
  EXPECT_EQ(support({1, 4}, {{2, 4}}).reason, "1:4 runs at the rate of 2:4 hardware");
  EXPECT_EQ(support({1, 2}, {{2, 4}}).reason, "");
}

/// What a tensor runs as is chosen among all it fits inside.
TEST(SparsitySupport, NamesAllThatFitTheOneThatSavesMostFirst) {
  const std::vector<Pattern> native{{2, 4}, {2, 8}, {1, 8}, {4, 8}, {1, 4}};
  EXPECT_EQ(support({1, 8}, native).patterns,
            (std::vector<Pattern>{{1, 8}, {2, 8}, {1, 4}, {2, 4}, {4, 8}}));
  EXPECT_EQ(support({1, 4}, native).patterns,
            (std::vector<Pattern>{{1, 4}, {2, 8}, {2, 4}, {4, 8}}));
  EXPECT_EQ(support({2, 4}, native).patterns, (std::vector<Pattern>{{2, 4}, {4, 8}}));
  EXPECT_EQ(support({4, 8}, native).patterns, (std::vector<Pattern>{{4, 8}}));
}

TEST(SparsitySupport, SaysWhatATensorRanAsAndWhy) {
  const SparsitySupport both = support({1, 8}, {{2, 4}, {1, 8}});
  EXPECT_EQ(reason_for(both, {1, 8}, {1, 8}, true), "");
  EXPECT_EQ(reason_for(both, {1, 8}, {2, 4}, true),
            "asked 1:8, ran as 2:4, because that is faster than 1:8");
  EXPECT_EQ(reason_for(both, {1, 8}, kDense, false),
            "asked 1:8, ran as dense, because that is estimated to be faster than 1:8");
  const SparsitySupport denser = support({1, 8}, {{2, 4}});
  EXPECT_EQ(reason_for(denser, {1, 8}, {2, 4}, true), "1:8 runs at the rate of 2:4 hardware");
  EXPECT_EQ(reason_for({}, kDense, kDense, true), "");
}

/// What int4 tensors need in NVIDIA's instruction set, other types cannot run, and the other way
/// round.
TEST(SparsitySupport, PairsAreNotTheSameAsElements) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.operand_selector.native_patterns_by_type = {{DataType::int4, {{4, 8, 2}}}};
  const auto reason = [&](DataType type, Pattern pattern) {
    return sparsity_support(machine, type, pattern).reason;
  };
  EXPECT_EQ(reason(DataType::int4, {2, 4}), "2:4 does not fit 4:8 pairs hardware");
  EXPECT_EQ(reason(DataType::int4, {4, 8}), "4:8 does not fit 4:8 pairs hardware");
  EXPECT_EQ(reason(DataType::int4, {4, 8, 2}), "");
  EXPECT_EQ(reason(DataType::int4, {1, 4}), "1:4 runs at the rate of 4:8 pairs hardware");
  EXPECT_EQ(reason(DataType::fp16, {4, 8, 2}), "4:8 pairs does not fit 2:4 hardware");
  EXPECT_EQ(reason(DataType::fp16, {2, 4, 2}), "");
  EXPECT_EQ(sparsity_support(machine, DataType::int4, {4, 8, 2}).hardware(), (Pattern{4, 8, 2}));
}

/// Its kernel "sparse" has tiles of 16 rows.
class ColumnSupport : public testing::Test {
 protected:
  ColumnSupport() { machine_.kernels[2].column_index_bytes = 4; }
  [[nodiscard]] SparsitySupport support(Pattern pattern, const KernelPolicy& policy = {}) const {
    return sparsity_support(machine_, test::make_problem(32, 32, 80, 1, DataType::fp16, pattern),
                            policy);
  }

  MachineConfig machine_ = test::tiny_machine();
};

TEST_F(ColumnSupport, RunsAsTheHardwareOfWhatIsSelected) {
  for (const std::int64_t rows : {16, 32, 160}) {
    const SparsitySupport found = support({2, 10, 1, 0, rows});
    EXPECT_EQ(found.patterns, (std::vector<Pattern>{{2, 4}})) << rows;
    EXPECT_EQ(found.reason, "") << rows;
  }
  EXPECT_EQ(sparsity_support(machine_, DataType::fp16, {2, 10, 1, 0, 16}).hardware(),
            (Pattern{2, 4}));
}

/// 2:8 fits 2:4 hardware row by row, 2:10 does not.
TEST_F(ColumnSupport, SaysWhatIsMissing) {
  const std::string none = "no kernel of tiny gathers columns in tiles whose rows divide 8";
  EXPECT_EQ(support({2, 10, 1, 0, 8}).patterns, std::vector<Pattern>());
  EXPECT_EQ(support({2, 10, 1, 0, 8}).reason, none + "; 2:10 does not fit 2:4 hardware");
  EXPECT_EQ(support({2, 8, 1, 0, 8}).patterns, (std::vector<Pattern>{{2, 4}}));
  EXPECT_EQ(support({2, 8, 1, 0, 8}).reason, none + "; 2:8 runs at the rate of 2:4 hardware");
}

TEST_F(ColumnSupport, AsksTheKernelsThatAreChosenFrom) {
  LibraryKernel kernel;
  kernel.kernel = machine_.kernels[2];
  machine_.libraries = {{"plain", {kernel}}, {"gather", {kernel}}};
  machine_.libraries[0].kernels[0].kernel.column_index_bytes = 0;
  machine_.stacks = {{"first", kOwnKernels, kBySearch, "plain", kBySearch},
                     {"second", kOwnKernels, kBySearch, "gather", kBySearch}};
  machine_.kernels[2].column_index_bytes = 0;
  const Pattern columns{2, 10, 1, 0, 16};
  EXPECT_EQ(support(columns, {.stack = "second"}).hardware(), (Pattern{2, 4}));
  EXPECT_EQ(
      support(columns, {.stack = "first"}).reason,
      "no kernel of plain on tiny gathers columns in tiles whose rows divide 16; stack second "
      "does; 2:10 does not fit 2:4 hardware");
  EXPECT_EQ(support(columns, {.kernel = "sparse"}).reason,
            "no kernel of tiny named 'sparse' gathers columns in tiles whose rows divide 16; stack "
            "second does; 2:10 does not fit 2:4 hardware");
}

/// Rows of an implicit im2col are no rows of memory.
TEST_F(ColumnSupport, ConvolutionsAreNotGathered) {
  GemmProblem problem = test::make_problem(32, 32, 80, 1, DataType::fp16, {2, 10, 1, 0, 16});
  problem.b = {8, 80};
  EXPECT_EQ(sparsity_support(machine_, problem, {}).reason,
            "16:2:10 is for matrices in memory, not for the operands of a convolution; 2:10 does "
            "not fit 2:4 hardware");
}

TEST(SparsitySupport, WhatDoesNotFitRunsDense) {
  EXPECT_EQ(support({4, 8}, {{2, 4}, {1, 8}}).hardware(), kDense);
  EXPECT_EQ(support({4, 8}, {{2, 4}, {1, 8}}).reason, "4:8 does not fit 2:4, 1:8 hardware");
  EXPECT_EQ(support({2, 4}, {}).reason, "no sparse tensor cores for fp16");
}

}  // namespace
}  // namespace stcsim
