#include <gtest/gtest.h>

#include "models/sub_core/sub_core.hpp"
#include "models/tensor_core/tensor_core.hpp"
#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"
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
                             std::int64_t block_inputs = 1, Lanes lanes = Lanes::ordered) {
  OperandSelectorConfig selector;
  selector.lanes = lanes;
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

/// Without data, as many as can meet on one of the n wires in the middle.
TEST(OperandSelectorPasses, OfAButterflyAreTheMostThatMeet) {
  const auto cycles = [](const char* pattern) {
    return selector_cycles(pattern, field::kMostUnits, 1, Lanes::butterfly);
  };
  EXPECT_EQ(cycles("2:8"), 2 * 16);
  EXPECT_EQ(cycles("4:8"), 2 * 16);
  EXPECT_EQ(cycles("8:32"), 4 * 16);
  EXPECT_EQ(cycles("1:8"), 1);
  EXPECT_EQ(cycles("4:8 pairs"), 2 * 16);
  EXPECT_EQ(cycles("4:8x2:4"), 1);  // blocks have no butterfly
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

using test::bucket;
using test::run_core;

/// One warp with two groups of one instruction; issue interval 4, latency 10. It starts at 5; the
/// first fragments come at 20, from a stage that was full at 15: issue 20 .. 24.
class SubCoreWaitingTest : public testing::Test {
 protected:
  SubCoreWaitingTest() : core_(hardware_, 0, 0) {
    DirectWires().connect_inside(core_);
    core_.warp_scheduler.fetches = &fetches_;
    core_.warp_scheduler.warps_done = &warps_done_;
    KernelLaunch launch;
    launch.warp.groups_per_step = 2;
    launch.warp.instructions_per_group = 1;
    launch.warp.instruction = test::sparse_instruction();
    core_.launch(launch);
    core_.warp_scheduler.starts.push(Cycle(5), 0, {0, 1});
    core_.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(15)});
  }
  /// The second fragments come at 40. Beyond the first wait, 10 cycles for memory and 5 for shared
  /// memory, it waits so long for each.
  void expect_waits(Cycle stage_full_at, std::int64_t memory, std::int64_t shared_memory) {
    core_.warp_scheduler.fragments.push(Cycle(40), 0, {0, 0, stage_full_at});
    run_core(core_, Cycle(5), Cycle(100));
    core_.finish(Cycle(60));
    EXPECT_EQ(bucket(core_, Cycle(60), "tensor_core.waiting_memory"), 10 + memory);
    EXPECT_EQ(bucket(core_, Cycle(60), "tensor_core.waiting_shared_memory"), 5 + shared_memory);
    EXPECT_EQ(bucket(core_, Cycle(60), "tensor_core.waiting_dependency"), 0);
    EXPECT_EQ(test::sum_of_buckets(core_, Cycle(60), "tensor_core"), 60);
  }

  const StreamingMultiprocessorConfig hardware_ = test::sub_core_hardware();
  SubCore core_;
  test::RecordingPort<FetchRequest> fetches_;
  test::RecordingPort<WarpDone> warps_done_;
};

TEST_F(SubCoreWaitingTest, UntilItsStageWasFullItWaitedForMemory) {
  expect_waits(Cycle(30), 30 - 24, 40 - 30);
}

/// The stage was full when it was asked for: nothing of the wait is memory's.
TEST_F(SubCoreWaitingTest, WithoutAWaitForTheStageItWaitedForSharedMemory) {
  expect_waits(kNever, 0, 40 - 24);
}

TEST_F(SubCoreWaitingTest, AStageThatWasFullBeforeItWaitedIsNoWaitForMemory) {
  expect_waits(Cycle(22), 0, 40 - 24);
}

TEST_F(SubCoreWaitingTest, AStageThatWasFullAtTheEndIsAllWaitForMemory) {
  expect_waits(Cycle(40), 40 - 24, 0);
}

}  // namespace
}  // namespace stcsim
