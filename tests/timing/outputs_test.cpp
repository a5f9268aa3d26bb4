#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "models/tensor_core/tensor_core.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/study/scheme_gemms.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

using test::outputs;

MachineConfig with_outputs(const char* name, std::vector<Pattern> patterns) {
  MachineConfig machine = load_machine(name).config;
  machine.accelerator.sm.operand_selector.native_patterns = std::move(patterns);
  machine.stacks.clear();
  return machine;
}

MmaInstruction instruction_of(const MachineConfig& machine, Pattern pattern,
                              DataType dtype = DataType::fp16) {
  return instruction_for(machine.accelerator.sm, dtype, pattern).value();
}

/// As many products as the dense one of m16n8k16, of so many more columns of B; C, of which two of
/// four are computed, takes no more registers, and 4 bits say which of a group.
TEST(Outputs, AnInstructionReadsMoreColumnsOfB) {
  const MachineConfig machine =
      with_outputs("a100", {outputs(2, 4), outputs(1, 8), outputs(8, 32)});
  const MmaInstruction half = instruction_of(machine, outputs(2, 4));
  EXPECT_EQ(half.m, 16);
  EXPECT_EQ(half.n, 16);
  EXPECT_EQ(half.k, 16);
  EXPECT_EQ(kept_macs(half), 16 * 8 * 16);
  const InstructionOperands operands = operands_of(half);
  EXPECT_EQ(operands.a_bytes, 16 * 16 * 2);
  EXPECT_EQ(operands.b_bytes, 16 * 16 * 2);
  EXPECT_EQ(operands.c_bytes, 16 * 8 * 4);
  EXPECT_EQ(operands.metadata_bytes, 16 * 4 * 4 / 8);
  EXPECT_EQ(instruction_of(machine, outputs(1, 8)).n, 64);
  EXPECT_EQ(instruction_of(machine, outputs(8, 32)).n, 32);
  EXPECT_EQ(Multipliers::cycles(machine.accelerator.sm.tensor_core, half), Cycles(8));
  EXPECT_EQ(OperandSelector::cycles(machine.accelerator.sm.operand_selector,
                                    machine.accelerator.sm.tensor_core, half),
            Cycles(512 / 64));
}

/// A wgmma has 256 columns as it is: its products halve.
TEST(Outputs, NoInstructionHasMoreThan256Columns) {
  MachineConfig machine = with_outputs("a100", {outputs(2, 4)});
  for (MmaInstruction& one : machine.accelerator.sm.tensor_core.instructions) one.n = 256;
  const MmaInstruction half = instruction_of(machine, outputs(2, 4));
  EXPECT_EQ(half.n, 256);
  EXPECT_EQ(kept_macs(half), half.m * 128 * half.k);
}

/// Every byte by hand: operands are read as by the dense kernel of that tile, of C half is written,
/// and each tile's mask is read once.
class OutputsSplit : public testing::TestWithParam<std::int64_t> {};

TEST_P(OutputsSplit, BytesAreThoseOfOperandsMasksAndWantedResults) {
  constexpr std::int64_t kM = 512;
  constexpr std::int64_t kN = 768;
  constexpr std::int64_t kK = 1024;
  MachineConfig machine = with_outputs("a100", {outputs(2, 4)});
  machine.split_k = {GetParam()};
  MachineRunner runner(machine);
  const KernelPolicy policy{"dense_128x128x32_s4"};
  const auto run = [&](Pattern pattern) {
    return run_gemm(runner, test::make_problem(kM, kN, kK, 1, DataType::fp16, pattern), policy);
  };
  const GemmRun own = run(outputs(2, 4));
  const GemmRun dense = run(kDense);
  ASSERT_EQ(own.hardware_pattern, outputs(2, 4));
  const std::int64_t splits = GetParam();
  ASSERT_EQ(own.result.kernel.split_k, splits);
  const std::int64_t masks = kM * (kN / 4) * 4 / 8 * splits;
  const std::int64_t operands = (kN / 128 * kM * kK + kM / 128 * kN * kK) * 2;
  EXPECT_EQ(own.result.count("metadata_bytes"), masks);
  EXPECT_EQ(dense.result.count("metadata_bytes"), 0);
  EXPECT_EQ(own.result.multiplier_macs, kM * kN * kK / 2);
  EXPECT_EQ(dense.result.multiplier_macs, kM * kN * kK);
  if (splits == 1) {
    EXPECT_EQ(own.result.count("l2_read_bytes"), operands + masks);
    EXPECT_EQ(own.result.count("l2_write_bytes"), kM * kN / 2 * 2);
    EXPECT_EQ(dense.result.count("l2_write_bytes"), kM * kN * 2);
  } else {
    // Partial sums of four bytes, which another kernel reads and adds up.
    EXPECT_EQ(own.result.count("l2_read_bytes"), operands + masks + splits * kM * kN / 2 * 4);
    EXPECT_EQ(own.result.count("l2_write_bytes"), splits * kM * kN / 2 * 4 + kM * kN / 2 * 2);
  }
  EXPECT_LT(own.result.cycles, dense.result.cycles);
  EXPECT_GT(2 * own.result.cycles, dense.result.cycles);
}

INSTANTIATE_TEST_SUITE_P(One, OutputsSplit, testing::Values(1, 3));

/// Half of the accumulators: warps of twice the columns have registers for them.
TEST(Outputs, WhatIsNotComputedTakesNoRegisters) {
  const MachineConfig machine = with_outputs("a100", {outputs(2, 4)});
  KernelConfig config = machine.kernels.front();
  config.name = "wide";
  config.sparse = false;
  config.tile_m = config.tile_n = 256;
  config.tile_k = 32;
  config.stages = 3;
  config.warps_m = 4;
  config.warps_n = 2;
  std::string why_not;
  EXPECT_FALSE(fit_kernel(machine, config, DataType::fp16, kDense, why_not));
  EXPECT_EQ(why_not.substr(0, 6), "needs ") << why_not;
  const auto kernel = fit_kernel(machine, config, DataType::fp16, outputs(2, 4), why_not);
  ASSERT_TRUE(kernel) << why_not;
  // 64 x 128 of which half; their mask of 64 x 32 groups of 4 bits.
  constexpr std::int64_t kAccumulators = 64 * 64 / 32;
  constexpr std::int64_t kMask = 64 * 32 * 4 / 8 / (32 * 4);
  EXPECT_GE(kernel->registers_per_thread, kAccumulators + kMask + 44);
  EXPECT_EQ(mask_bytes(*kernel), 256 * 64 * 4 / 8);
}

/// SLoPe's wgrad: dense operands as they lie, on machines that have such outputs; dense elsewhere.
TEST(Outputs, OfASchemeAreItsWeightsGradients) {
  Scheme scheme = load_scheme("slope");
  scheme.phases.at(static_cast<std::size_t>(Phase::wgrad)).output = Pattern{2, 4};
  const Network network = load_network("bert_large_s128");
  const auto layer = std::ranges::find_if(network.layers, [&](const Layer& one) {
    return !request_for(scheme, one, Phase::wgrad).pattern.is_dense();
  });
  ASSERT_NE(layer, network.layers.end());
  const auto gemms_on = [&](const char* machine) {
    return scheme_gemms(load_machine(machine), scheme, *layer, Phase::wgrad, network.batch,
                        DataType::fp16, {});
  };
  const SchemeGemms own = gemms_on("a100_outputs");
  ASSERT_EQ(own.gemms.size(), 1U);
  GemmProblem expected = own.dense.front();
  expected.a_pattern = outputs(2, 4);
  EXPECT_EQ(own.gemms.front(), expected);
  const SchemeGemms elsewhere = gemms_on("a100");
  EXPECT_EQ(elsewhere.gemms, elsewhere.dense);
  EXPECT_EQ(elsewhere.reason, "2:4 outputs does not fit 2:4 hardware");
}

TEST(Outputs, FitOutputsAlone) {
  const MachineConfig machine = with_outputs("a100", {{2, 4}, outputs(2, 4)});
  EXPECT_EQ(sparsity_support(machine, DataType::fp16, outputs(2, 4)).patterns,
            std::vector{outputs(2, 4)});
  EXPECT_EQ(sparsity_support(machine, DataType::fp16, outputs(1, 8)).hardware(), outputs(2, 4));
  EXPECT_EQ(sparsity_support(machine, DataType::fp16, {2, 4}).patterns,
            (std::vector<Pattern>{{2, 4}}));
  const MachineConfig a100 = load_machine("a100").config;
  EXPECT_EQ(sparsity_support(a100, DataType::fp16, outputs(2, 4)).reason,
            "2:4 outputs does not fit 2:4 hardware");
}

}  // namespace
}  // namespace stcsim
