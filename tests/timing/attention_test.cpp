#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "models/bounds/critical_path.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/kernel/attention_kernel.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

AttentionShape shape_of(std::int64_t tokens, bool causal) {
  AttentionShape shape;
  shape.batch = 2;
  shape.heads = 4;
  shape.kv_heads = 2;
  shape.queries = shape.keys = tokens;
  shape.causal = causal;
  return shape;
}

MachineConfig few_sms(const char* name) {
  MachineConfig machine = load_machine(name).config;
  machine.accelerator.num_sms = 3;
  return machine;
}

/// What is skipped changes nothing, and no launch is faster than its bound.
void expect_as_without_fast_forward(const MachineConfig& machine, bool is_pruned = false) {
  MachineRunner runner(machine);
  for (const AttentionKernel kernel : {AttentionKernel::flash2, AttentionKernel::cudnn}) {
    for (const bool backward : {false, true}) {
      for (const std::int64_t tokens : {197, 1024}) {
        AttentionWork work{kernel, backward, shape_of(tokens, tokens == 1024)};
        if (is_pruned) work.shape.scores = {2, 4};
        runner.set_fast_forward(true);
        const LaunchResult fast = run_attention(runner, work);
        runner.set_fast_forward(false);
        const LaunchResult slow = run_attention(runner, work);
        EXPECT_EQ(fast.cycles, slow.cycles);
        EXPECT_EQ(fast.units, slow.units);
        EXPECT_EQ(fast.counters, slow.counters);
        EXPECT_LE(least_cycles(machine.accelerator, attention_launch(machine, work)).count(),
                  slow.cycles);
      }
    }
  }
}

TEST(Attention, OnAnA100IsExactWithFastForward) {
  expect_as_without_fast_forward(few_sms("a100"));
}
TEST(Attention, OnAnH100IsExactWithFastForward) {
  expect_as_without_fast_forward(few_sms("h100_sxm"));
}

TEST(Attention, OfPrunedScoresIsExactAndHoldsItsBounds) {
  expect_as_without_fast_forward(few_sms("a100_spc"), true);
}
TEST(Attention, OfPrunedScoresIsExactAndHoldsItsBoundsOnRubin) {
  expect_as_without_fast_forward(few_sms("rubin"), true);
}

/// What lanes prune comes later than what a unit does; without a choice to make it would be sooner.
void expect_gain_by_a_unit(const char* name) {
  std::map<std::int64_t, std::unique_ptr<MachineRunner>> runners;
  for (const std::int64_t unit : {0, 16, 64, 4096}) {
    MachineConfig machine = few_sms(name);
    machine.accelerator.sm.epilogue.compress_elements_per_clk = unit;
    runners[unit] = std::make_unique<MachineRunner>(machine);
  }
  for (const bool backward : {false, true}) {
    const auto cycles = [&](std::int64_t unit, Pattern scores) {
      AttentionWork work{AttentionKernel::flash2, backward, shape_of(1024, false)};
      work.shape.scores = scores;
      return run_attention(*runners.at(unit), work).cycles;
    };
    const std::int64_t fast = cycles(4096, {2, 4});
    EXPECT_EQ(cycles(64, kDense), cycles(0, kDense)) << "nothing to prune";
    EXPECT_LT(fast, cycles(0, kDense));
    EXPECT_GT(cycles(16, {2, 4}), fast);
    EXPECT_GT(cycles(0, {2, 4}), fast);
  }
}
TEST(Attention, GainsByPrunedScoresIfAUnitPrunes) {
  expect_gain_by_a_unit("a100");
}
TEST(Attention, GainsByPrunedScoresIfAUnitPrunesOnRubin) {
  expect_gain_by_a_unit("rubin");
}

/// Every cycle of both pipelines is in one bucket; the vector unit takes what exponentials and
/// other instructions do.
TEST(Attention, CountsWhatBothPipelinesDo) {
  const MachineConfig machine = test::tiny_machine();
  MachineRunner runner(machine);
  const AttentionWork work{AttentionKernel::flash2, false, shape_of(128, false)};
  const LaunchResult result = run_attention(runner, work);
  for (const UnitReport& unit : result.units) {
    std::int64_t sum = 0;
    for (const auto& [name, cycles] : unit.buckets) sum += cycles;
    EXPECT_EQ(sum, unit.instances * result.cycles) << unit.unit;
  }
  constexpr std::int64_t kHeads = 8;
  constexpr std::int64_t kScores = kHeads * 128 * 128;
  EXPECT_EQ(result.mma_instructions, 2 * kScores * 64 / (16 * 8 * 16));
  EXPECT_EQ(result.busy_cycles("tensor_core"), 8 * result.mma_instructions);
  // a warp's exponentials take 8 cycles, its four other instructions 2 each
  EXPECT_EQ(result.busy_cycles("vector_unit"), kScores / 32 * (8 + 4 * 2));
}

/// Dropout is vector work, a causal mask leaves out almost half, more heads take longer.
TEST(Attention, TakesAsLongAsItsParts) {
  MachineRunner runner(few_sms("h100_sxm"));
  const auto cycles = [&](AttentionShape shape) {
    return run_attention(runner, {AttentionKernel::cudnn, false, shape}).cycles;
  };
  const AttentionShape full = shape_of(2048, false);
  AttentionShape dropped = full;
  dropped.dropout = true;
  const std::int64_t whole = cycles(full);
  const std::int64_t causal = cycles(shape_of(2048, true));
  EXPECT_GT(cycles(dropped), whole * 3 / 2);
  EXPECT_GT(causal, whole / 2);
  EXPECT_LT(causal, whole * 7 / 10);
}

}  // namespace
}  // namespace stcsim
