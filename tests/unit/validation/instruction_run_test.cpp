#include "reports/validation/instruction_run.hpp"

#include <gtest/gtest.h>

#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

MeasuredInstruction wanted() {
  MeasuredInstruction instruction;
  instruction.gpu = "tiny";
  instruction.name = "mma.sync";
  instruction.shape = "m16n8k16";
  instruction.m = 16;
  instruction.n = 8;
  instruction.k = 16;
  instruction.warps = 2;
  instruction.ilp = 3;
  instruction.latency_cycles = 25;
  instruction.fma_per_clk = 256;
  return instruction;
}

std::vector<InstructionRow> validate(const std::vector<MeasuredInstruction>& instructions) {
  return validate_instructions(instructions, {{"tiny", test::tiny_machine()}}, {});
}

/// Latency 25; two warps with three chains each take 2 x 3 x 8 cycles a pass. The cold start adds
/// 662 cycles to 1024 passes.
TEST(InstructionValidation, ComparesLatencyAndThroughput) {
  const InstructionRow row = validate({wanted()}).at(0);
  constexpr double kCold = 662.0 / 1024.0;
  EXPECT_EQ(row.skipped, "");
  EXPECT_EQ(row.machine, "tiny");
  EXPECT_EQ(row.ilp, 3);
  EXPECT_DOUBLE_EQ(*row.latency_cycles, 25 + kCold);
  EXPECT_DOUBLE_EQ(*row.fma_per_clk, 2 * 3 * 16 * 8 * 16 / (48 + kCold));
}

TEST(InstructionValidation, SimulatesOnlyWhatWasMeasured) {
  std::vector<MeasuredInstruction> instructions(2, wanted());
  instructions[0].latency_cycles.reset();
  instructions[1].fma_per_clk.reset();
  const auto rows = validate(instructions);
  EXPECT_EQ(rows[0].latency_cycles, std::nullopt);
  EXPECT_TRUE(rows[0].fma_per_clk.has_value());
  EXPECT_TRUE(rows[1].latency_cycles.has_value());
  EXPECT_EQ(rows[1].fma_per_clk, std::nullopt);
}

/// One warp: passes of 25, 25, 25, 32, 40, 48 cycles with 1 to 6 chains: 25, 12.5, 8.3, 8, 8, 8 per
/// instruction (and a 1024th of 662 per pass). Four chains come within 3 % of the best, three not.
TEST(InstructionValidation, WithoutANumberOfChainsTheSmallestGoodOneCounts) {
  MeasuredInstruction instruction = wanted();
  instruction.warps = 1;
  instruction.ilp = 0;
  const InstructionRow row = validate({instruction}).at(0);
  EXPECT_EQ(row.ilp, 4);
  EXPECT_DOUBLE_EQ(*row.fma_per_clk, 4 * 16 * 8 * 16 / (32 + 662.0 / 1024.0));
}

/// A machine without an instruction for the accumulator takes as long as with the usual one.
TEST(InstructionValidation, AnAccumulatorMayHaveAnInstructionOfItsOwn) {
  MachineConfig machine = test::tiny_machine();
  MeasuredInstruction half = wanted();
  half.accumulator = DataType::fp16;
  constexpr double kCold = 662.0 / 1024.0;
  EXPECT_DOUBLE_EQ(*validate({half}).at(0).latency_cycles, 25 + kCold);
  MmaInstruction instruction = machine.accelerator.sm.tensor_core.instructions.front();
  instruction.accumulator = DataType::fp16;
  instruction.latency_cycles = 21;
  machine.accelerator.sm.tensor_core.instructions.push_back(instruction);
  const auto rows = validate_instructions({half, wanted()}, {{"tiny", machine}}, {});
  EXPECT_DOUBLE_EQ(*rows[0].latency_cycles, 21 + kCold);
  EXPECT_DOUBLE_EQ(*rows[1].latency_cycles, 25 + kCold);
}

TEST(InstructionValidation, ARowMayNameItsMachine) {
  MeasuredInstruction instruction = wanted();
  instruction.gpu = "Z9";
  instruction.machine = "tiny";
  EXPECT_EQ(validate({instruction}).at(0).skipped, "");
}

TEST(InstructionValidation, SkipsRowsWithAReason) {
  std::vector<MeasuredInstruction> instructions(5, wanted());
  instructions[0].gpu = "Z9";
  instructions[1].unusable = "because";
  instructions[2].k = 8;
  instructions[2].shape = "m16n8k8";
  instructions[3].latency_cycles.reset();
  instructions[3].fma_per_clk.reset();
  instructions[4].warps = 33;
  const auto rows = validate(instructions);
  EXPECT_EQ(rows[0].skipped, "no machine for GPU 'Z9'");
  EXPECT_EQ(rows[1].skipped, "because");
  EXPECT_EQ(rows[2].skipped, "tiny has no instruction mma.sync fp16 m16n8k8");
  EXPECT_EQ(rows[3].skipped, "nothing was measured");
  EXPECT_EQ(rows[4].skipped, "an SM of tiny holds at most 32 warps");
}

}  // namespace
}  // namespace stcsim
