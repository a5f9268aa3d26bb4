#include "sim/kernel/sparsity_support.hpp"

#include <gtest/gtest.h>

#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

SparsitySupport support(Pattern pattern, const std::vector<Pattern>& native) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.operand_selector.native_patterns = native;
  return sparsity_support(machine, DataType::fp16, pattern);
}

TEST(SparsitySupport, DenseIsAlwaysFine) {
  EXPECT_EQ(support(kDense, {}).hardware, kDense);
  EXPECT_EQ(support(kDense, {}).reason, "");
  EXPECT_EQ(support(kDense, {{2, 4}}).hardware, kDense);
}

TEST(SparsitySupport, ANativePatternNeedsNoExplanation) {
  EXPECT_EQ(support({2, 4}, {{2, 4}}).hardware, (Pattern{2, 4}));
  EXPECT_EQ(support({2, 4}, {{2, 4}}).reason, "");
}

TEST(SparsitySupport, ASparserTensorRunsAtTheHardwaresRate) {
  EXPECT_EQ(support({1, 4}, {{2, 4}}).hardware, (Pattern{2, 4}));
  EXPECT_EQ(support({1, 4}, {{2, 4}}).reason, "1:4 runs at the rate of 2:4 hardware");
  EXPECT_EQ(support({1, 2}, {{2, 4}}).reason, "");
}

TEST(SparsitySupport, OfSeveralTheOneThatSavesMostIsUsed) {
  EXPECT_EQ(support({1, 8}, {{2, 4}, {1, 8}, {4, 8}}).hardware, (Pattern{1, 8}));
  EXPECT_EQ(support({2, 4}, {{2, 4}, {1, 8}, {4, 8}}).hardware, (Pattern{2, 4}));
}

TEST(SparsitySupport, WhatDoesNotFitRunsDense) {
  EXPECT_EQ(support({4, 8}, {{2, 4}, {1, 8}}).hardware, kDense);
  EXPECT_EQ(support({4, 8}, {{2, 4}, {1, 8}}).reason, "4:8 does not fit 2:4, 1:8 hardware");
  EXPECT_EQ(support({2, 4}, {}).reason, "tiny has no sparse tensor cores");
}

}  // namespace
}  // namespace stcsim
