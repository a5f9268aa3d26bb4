#include <gtest/gtest.h>

#include "models/sub_core/sub_core.hpp"
#include "models/tensor_core/tensor_core.hpp"
#include "tests/support/sub_core_hardware.hpp"

namespace stcsim {
namespace {

/// m16n8k16 with accumulators of 32 bits: 512 bytes of A, 256 of B, 512 of C and as many of D.
const MmaInstruction kDenseInstruction{DataType::fp16, kDense, 16, 8, 16, 10, 0};

TEST(RegisterFile, SuppliesAAndB) {
  OperandFetchConfig config;
  config.register_bytes_per_clk = 192;
  EXPECT_EQ(RegisterFile::cycles(config, kDenseInstruction), Cycles(4));
}

TEST(RegisterFile, MovesAccumulatorsBesideThem) {
  OperandFetchConfig config;
  config.register_bytes_per_clk = 192;
  config.accumulator_bytes_per_clk = 128;
  EXPECT_EQ(RegisterFile::cycles(config, kDenseInstruction), Cycles(8));
  config.register_bytes_per_clk = 0;  // operands come straight from shared memory
  EXPECT_EQ(RegisterFile::cycles(config, kDenseInstruction), Cycles(8));
  config.accumulator_bytes_per_clk = 512;
  config.register_bytes_per_clk = 192;
  EXPECT_EQ(RegisterFile::cycles(config, kDenseInstruction), Cycles(4));
}

/// 32 bytes of metadata, decoded in 3 cycles.
class MetadataBufferCycles : public testing::Test {
 protected:
  MetadataBufferCycles() { config_.metadata_decode_cycles = 3; }

  [[nodiscard]] Cycles cycles() const {
    return MetadataBuffer::cycles(config_, test::sparse_instruction());
  }

  OperandSelectorConfig config_;
};

TEST_F(MetadataBufferCycles, AreThoseOfDecoding) {
  EXPECT_EQ(cycles(), Cycles(3));
  EXPECT_EQ(MetadataBuffer::cycles(config_, kDenseInstruction), Cycles(0));
}

/// The words of the next instruction come in 4 cycles, meanwhile or afterwards.
TEST_F(MetadataBufferCycles, AreThoseOfFillingToo) {
  config_.metadata_fill_bytes_per_clk = 8;
  config_.metadata_buffer_bytes = 64;
  EXPECT_EQ(cycles(), Cycles(4));
  config_.metadata_buffer_bytes = 63;
  EXPECT_EQ(cycles(), Cycles(4 + 3));
}

/// 32 bytes at 5 a clock.
TEST_F(MetadataBufferCycles, AreThoseOfTheDecodersRate) {
  config_.metadata_decode_bytes_per_clk = 5;
  EXPECT_EQ(cycles(), Cycles(7));
  config_.metadata_decode_bytes_per_clk = 16;
  EXPECT_EQ(cycles(), Cycles(3));
}

/// Multipliers that take 16 cycles for a kept m16n8k32 of `pattern`, and B at any rate.
std::int64_t selector_cycles(const char* pattern, std::int64_t lane_inputs,
                             std::int64_t block_inputs = 1) {
  OperandSelectorConfig selector;
  selector.b_bytes_per_clk = 1'000'000;
  selector.lane_inputs = lane_inputs;
  selector.block_inputs = block_inputs;
  TensorCoreConfig multipliers;
  multipliers.multipliers = {{DataType::fp16, 256}};
  MmaInstruction one{DataType::fp16, *pattern_from_string(pattern), 16, 8, 0, 10, 0};
  one.k = 32 / one.pattern.n * one.pattern.m;
  return OperandSelector::cycles(selector, multipliers, one).count();
}

/// A group with more places than a multiplexer has inputs takes several passes of 16 cycles each.
TEST(OperandSelectorPasses, AreAsManyAsItTakesToLookAtAGroup) {
  EXPECT_EQ(selector_cycles("2:4", 4), 1);  // one pass goes on beside the multipliers
  EXPECT_EQ(selector_cycles("4:8", 4), 2 * 16);
  EXPECT_EQ(selector_cycles("1:8", 4), 2 * 16);
  EXPECT_EQ(selector_cycles("2:6", 4), 2 * 16);
  EXPECT_EQ(selector_cycles("4:32", 4), 8 * 16);
  EXPECT_EQ(selector_cycles("4:32", 32), 1);
  EXPECT_EQ(selector_cycles("4:8 pairs", 4), 1);  // four places for two pairs
}

TEST(OperandSelectorPasses, OfComposedPatternsAreThoseOfTheSlowerLevel) {
  EXPECT_EQ(selector_cycles("4:8x2:4", 4, 8), 1);
  EXPECT_EQ(selector_cycles("4:8x2:4", 4, 4), 2 * 16);
  EXPECT_EQ(selector_cycles("4:8x2:4", 2, 8), 2 * 16);
  EXPECT_EQ(selector_cycles("4:8x2:4", 4), 8 * 16);
  EXPECT_EQ(selector_cycles("4:8x2:4", 32), 1);
}

TEST(ShortGroups, SkippedSlotsMakeFewerNative) {
  OperandSelectorConfig selector;
  selector.native_patterns = {{2, 4}, {4, 8, 2}, {4, 16, 4, 2}};
  EXPECT_EQ(selector.runnable_patterns(DataType::fp16), selector.native_patterns);
  selector.short_groups = kSkippedSlots;
  EXPECT_EQ(
      selector.runnable_patterns(DataType::fp16),
      (std::vector<Pattern>{{2, 4}, {4, 8, 2}, {4, 16, 4, 2}, {1, 4}, {2, 8, 2}, {2, 16, 4, 2}}));
}

}  // namespace
}  // namespace stcsim
