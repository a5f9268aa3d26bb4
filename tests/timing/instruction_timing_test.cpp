#include <gtest/gtest.h>

#include "models/sub_core/sub_core.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

MachineConfig a100() {
  return load_machine(STCSIM_SOURCE_DIR "/configs/arch/a100.yaml").config;
}

/// Multiplier count, selector width and operand-fetch width explain every measured interval.
TEST(InstructionTiming, DerivesEveryMeasuredIntervalOfTheA100) {
  const MachineConfig machine = a100();
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  int measured = 0;
  for (const MmaInstruction& one : sm.tensor_core.instructions) {
    if (one.interval_cycles == 0) continue;
    ++measured;
    EXPECT_EQ(timing_of(sm, one).pace.interval, Cycles(one.interval_cycles))
        << to_string(one.dtype) << " " << one.pattern.to_string() << " k" << one.k;
  }
  EXPECT_EQ(measured, 16);
}

/// NVIDIA A100 data sheet: 312 (fp16), 156 (tf32) TFLOP/s, 624 (int8) TOP/s, twice that sparse, and
/// 1248 (int4) in NVIDIA's talks. The data sheet rounds, so 1.41 GHz gives it within a thousandth.
TEST(InstructionTiming, PeaksAreThoseOfTheDataSheet) {
  const MachineConfig machine = a100();
  const auto expect_peak = [&](DataType type, Pattern pattern, double tflops) {
    EXPECT_NEAR(peak_tflops(machine, type, pattern), tflops, tflops * 1e-3);
  };
  expect_peak(DataType::fp16, kDense, 312);
  expect_peak(DataType::bf16, kDense, 312);
  expect_peak(DataType::tf32, kDense, 156);
  expect_peak(DataType::int8, kDense, 624);
  expect_peak(DataType::fp16, {2, 4}, 624);
  expect_peak(DataType::tf32, {2, 4}, 312);
  expect_peak(DataType::int8, {2, 4}, 1248);
  expect_peak(DataType::int4, kDense, 1248);
  expect_peak(DataType::int4, {4, 8, 2}, 2496);
  // 108 SMs x 4 sub-cores x 256 x 2 x 1.41 GHz
  EXPECT_DOUBLE_EQ(peak_tflops(machine, DataType::fp16, kDense), 311.86944);
}

TEST(InstructionTiming, OperandsAreKeptValuesAllOfBAndMetadata) {
  const InstructionOperands dense = operands_of({DataType::fp16, kDense, 16, 8, 16, 1, 0});
  EXPECT_EQ(dense.a_bytes, 16 * 16 * 2);
  EXPECT_EQ(dense.b_bytes, 16 * 8 * 2);
  EXPECT_EQ(dense.metadata_bytes, 0);
  const InstructionOperands sparse = operands_of({DataType::int8, {1, 8}, 16, 8, 64, 1, 0});
  EXPECT_EQ(sparse.a_bytes, 16 * 8);
  EXPECT_EQ(sparse.b_bytes, 64 * 8);
  EXPECT_EQ(sparse.metadata_bytes, 16 * 8 * 3 / 8);
  const InstructionOperands pairs = operands_of({DataType::int4, {4, 8, 2}, 16, 8, 128, 1, 0});
  EXPECT_EQ(pairs.a_bytes, 16 * 64 / 2);
  EXPECT_EQ(pairs.b_bytes, 128 * 8 / 2);
  EXPECT_EQ(pairs.metadata_bytes, 16 * 16 * 4 / 8);
  EXPECT_EQ(pairs.c_bytes, 16 * 8 * 4);
}

/// The longest stage decides: multipliers 8 cycles, register file 1088/192, selector 512/64.
TEST(InstructionTiming, TheSlowestPartIsTheInterval) {
  StreamingMultiprocessorConfig sm = test::tiny_machine().accelerator.sm;
  const MmaInstruction sparse{DataType::fp16, {2, 4}, 16, 8, 32, 25, 0};
  InstructionTiming timing = timing_of(sm, sparse);
  EXPECT_EQ(timing, (InstructionTiming{Cycles(8), Cycles(6), Cycles(0), Cycles(8), Cycles(8),
                                       Millicycles(0), Cycles(25)}));
  sm.operand_selector.b_bytes_per_clk = 63;
  EXPECT_EQ(timing_of(sm, sparse).pace.interval, Cycles(9));
  sm.operand_selector.b_bytes_per_clk = 1024;
  sm.operand_selector.metadata_decode_cycles = 13;
  EXPECT_EQ(timing_of(sm, sparse).pace.interval, Cycles(13));
  sm.operand_fetch.register_bytes_per_clk = 64;
  EXPECT_EQ(timing_of(sm, sparse).pace.interval, Cycles(17));
}

/// 16 rows of eight groups, 4 bits each: 64 bytes in 8 cycles, decoded in 5. With room for two
/// instructions' words the longer of both counts, with less their sum.
TEST(InstructionTiming, TheMetadataBufferIsFilledWhileItDecodesIfItHasRoom) {
  StreamingMultiprocessorConfig sm = test::tiny_machine().accelerator.sm;
  const MmaInstruction sparse{DataType::fp16, {2, 4}, 16, 8, 32, 25, 0};
  sm.operand_selector.metadata_decode_cycles = 5;
  EXPECT_EQ(timing_of(sm, sparse).decode, Cycles(5));
  sm.operand_selector.metadata_fill_bytes_per_clk = 8;
  EXPECT_EQ(timing_of(sm, sparse).decode, Cycles(8));
  sm.operand_selector.metadata_buffer_bytes = 2 * 64;
  EXPECT_EQ(timing_of(sm, sparse).decode, Cycles(8));
  sm.operand_selector.metadata_buffer_bytes = 2 * 64 - 1;
  EXPECT_EQ(timing_of(sm, sparse).decode, Cycles(8 + 5));
  EXPECT_EQ(timing_of(sm, sparse).pace.interval, Cycles(8 + 5));
}

/// Latency alone, and of sparse instructions alone.
TEST(InstructionTiming, EachRegisterOfTheSelectorIsACycleOfSparseLatency) {
  StreamingMultiprocessorConfig sm = test::tiny_machine().accelerator.sm;
  const MmaInstruction sparse{DataType::fp16, {2, 4}, 16, 8, 32, 25, 0};
  const MmaInstruction dense{DataType::fp16, kDense, 16, 8, 16, 25, 0};
  const InstructionTiming before = timing_of(sm, sparse);
  const InstructionTiming of_dense = timing_of(sm, dense);
  sm.operand_selector.selector_stages = 3;
  InstructionTiming expected = before;
  expected.pace.latency = Cycles(28);
  EXPECT_EQ(timing_of(sm, sparse), expected);
  EXPECT_EQ(timing_of(sm, dense), of_dense);
  sm.operand_selector.b_bytes_per_clk = 16;  // 32 cycles for 512 bytes of B: the last one's way
  EXPECT_EQ(timing_of(sm, sparse).pace.latency, Cycles(32 + 3));
}

TEST(InstructionTiming, DenseInstructionsDoNotUseTheSelector) {
  StreamingMultiprocessorConfig sm = test::tiny_machine().accelerator.sm;
  sm.operand_selector.b_bytes_per_clk = 1;
  sm.operand_selector.metadata_decode_cycles = 1000;
  const MmaInstruction dense{DataType::fp16, kDense, 16, 8, 16, 25, 0};
  EXPECT_EQ(timing_of(sm, dense).select, Cycles(0));
  EXPECT_EQ(timing_of(sm, dense).pace.interval, Cycles(8));
}

/// Operands from shared memory only (wgmma): no register fetch to wait for.
TEST(InstructionTiming, AFetchWidthOfZeroIsNoLimit) {
  StreamingMultiprocessorConfig sm = test::tiny_machine().accelerator.sm;
  sm.operand_fetch.register_bytes_per_clk = 0;
  EXPECT_EQ(timing_of(sm, MmaInstruction{DataType::fp16, kDense, 16, 8, 16, 25, 0}).supply,
            Cycles(0));
}

/// What was measured is compared with the hardware when a file is read, and changes nothing.
TEST(InstructionTiming, AMeasuredIntervalChangesNothing) {
  const StreamingMultiprocessorConfig sm = test::tiny_machine().accelerator.sm;
  EXPECT_EQ(timing_of(sm, MmaInstruction{DataType::fp16, kDense, 16, 8, 16, 25, 11}).pace.interval,
            Cycles(8));
}

/// Whole where the multipliers limit; else less by their idle share of the interval.
TEST(InstructionTiming, TheBubbleIsAWaitOfTheMultipliers) {
  StreamingMultiprocessorConfig sm = test::tiny_machine().accelerator.sm;
  sm.tensor_core.same_warp_bubble = Millicycles(3000);
  sm.tensor_core.same_warp_bubble_fp16 = Millicycles(1600);
  const auto bubble = [&](std::int64_t k, DataType accumulator) {
    const MmaInstruction instruction{DataType::fp16, kDense, 16, 8, k, 25, 0, accumulator};
    return timing_of(sm, instruction).pace.same_warp_bubble.count();
  };
  EXPECT_EQ(bubble(16, DataType::fp32), 3000);
  EXPECT_EQ(bubble(16, DataType::fp16), 1600);
  sm.operand_fetch.register_bytes_per_clk = 64;  // 768 and 384 bytes: 12 and 6 cycles, not 8 and 4
  EXPECT_EQ(bubble(16, DataType::fp32), 2000);
  EXPECT_EQ(bubble(8, DataType::fp32), 2000);
  EXPECT_EQ(bubble(8, DataType::fp16), 1066);
  sm.operand_fetch.register_bytes_per_clk = 192;
  sm.operand_selector.metadata_decode_cycles = 16;
  const MmaInstruction sparse{DataType::fp16, {2, 4}, 16, 8, 32, 25, 0};
  EXPECT_EQ(timing_of(sm, sparse).pace.same_warp_bubble, Millicycles(1500));
}

/// Of those with the usual accumulator, wherever they stand in the list.
TEST(InstructionTiming, TheLongestListedInstructionIsUsed) {
  const StreamingMultiprocessorConfig sm = a100().accelerator.sm;
  EXPECT_EQ(instruction_for(sm, DataType::fp16, kDense)->k, 16);
  EXPECT_EQ(instruction_for(sm, DataType::fp16, Pattern{2, 4})->k, 32);
  EXPECT_EQ(instruction_for(sm, DataType::fp16, Pattern{2, 4})->accumulator, DataType::fp32);
  EXPECT_EQ(instruction_for(sm, DataType::fp8_e4m3, kDense), std::nullopt);
  EXPECT_EQ((instruction_for(sm, DataType::fp16, Pattern{1, 4})), std::nullopt);
  StreamingMultiprocessorConfig tiny = test::tiny_machine().accelerator.sm;
  MmaInstruction narrow = tiny.tensor_core.instructions.front();
  narrow.accumulator = DataType::fp16;
  narrow.k *= 2;
  tiny.tensor_core.instructions.insert(tiny.tensor_core.instructions.begin(), narrow);
  EXPECT_EQ(instruction_for(tiny, narrow.dtype, kDense), tiny.tensor_core.instructions.at(1));
}

/// The selector reads all of B: at 64 bytes a clk 1:8 takes 4 times as long as its multiplications.
TEST(InstructionTiming, ANativePatternWithoutInstructionIsDerivedFromTheDenseOne) {
  StreamingMultiprocessorConfig sm = test::tiny_machine().accelerator.sm;
  sm.operand_selector.native_patterns.push_back({1, 8});
  const auto derived = instruction_for(sm, DataType::fp16, {1, 8});
  ASSERT_TRUE(derived.has_value());
  EXPECT_EQ(*derived, (MmaInstruction{DataType::fp16, {1, 8}, 16, 8, 128, 25, 0}));
  EXPECT_EQ(timing_of(sm, *derived).multiply, Cycles(8));
  EXPECT_EQ(timing_of(sm, *derived).select, Cycles(32));
}

std::vector<std::int64_t> derived_ks(Pattern pattern) {
  StreamingMultiprocessorConfig sm = test::tiny_machine().accelerator.sm;
  sm.operand_selector.native_patterns = {pattern};
  std::vector<std::int64_t> all;
  for (const MmaInstruction& one : instructions_for(sm, DataType::fp16, pattern)) {
    EXPECT_EQ(one.pattern, pattern);
    all.push_back(one.k);
  }
  return all;
}

/// At most 16 values of a row, whole groups, k at least 16.
TEST(InstructionTiming, ShorterInstructionsAreDerivedToo) {
  using Ks = std::vector<std::int64_t>;
  EXPECT_EQ(derived_ks({1, 8}), (Ks{128, 64, 32, 16}));
  EXPECT_EQ(derived_ks({2, 8}), (Ks{64, 32, 16}));
  EXPECT_EQ(derived_ks({4, 8}), (Ks{32, 16}));
  EXPECT_EQ(derived_ks({4, 32}), (Ks{128, 64, 32}));
  EXPECT_EQ(derived_ks({16, 32}), (Ks{32}));
  EXPECT_EQ(derived_ks({32, 64}), (Ks{64}));
  EXPECT_EQ(derived_ks({3, 8}), (Ks{40}));
  EXPECT_EQ(derived_ks({2, 4}), (Ks{32}));  // listed
}

/// As long as the shortest dense one with as many values takes: k = 8 after 17 cycles.
TEST(InstructionTiming, AShorterInstructionIsReadyAsSoonAsADenseOneWithAsManyValues) {
  StreamingMultiprocessorConfig sm = a100().accelerator.sm;
  sm.operand_selector.native_patterns = {{1, 8}};
  std::vector<std::int64_t> latencies;
  for (const MmaInstruction& one : instructions_for(sm, DataType::fp16, {1, 8})) {
    latencies.push_back(one.latency_cycles);
  }
  EXPECT_EQ(latencies, (std::vector<std::int64_t>{24, 17, 17, 17}));
}

}  // namespace
}  // namespace stcsim
