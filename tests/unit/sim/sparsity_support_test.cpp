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

TEST(SparsitySupport, WhatDoesNotFitRunsDense) {
  EXPECT_EQ(support({4, 8}, {{2, 4}, {1, 8}}).hardware(), kDense);
  EXPECT_EQ(support({4, 8}, {{2, 4}, {1, 8}}).reason, "4:8 does not fit 2:4, 1:8 hardware");
  EXPECT_EQ(support({2, 4}, {}).reason, "no sparse tensor cores for fp16");
}

}  // namespace
}  // namespace stcsim
