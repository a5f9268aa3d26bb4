#include <string>

#include <gtest/gtest.h>

#include "reports/validation/instruction_table.hpp"
#include "reports/validation/instruction_validation.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

constexpr double kClose = 0.03;

std::vector<MeasuredInstruction> shipped_rows(const std::string& gpu) {
  std::vector<MeasuredInstruction> rows;
  for (MeasuredInstruction& row :
       read_measured_instructions(STCSIM_SOURCE_DIR "/configs/validation/instructions.csv")) {
    const bool measured = row.latency_cycles || row.fma_per_clk;
    if (row.gpu == gpu && measured && row.unusable.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

MachineRunner runner_of(const std::string& machine) {
  return MachineRunner(load_machine(STCSIM_SOURCE_DIR "/configs/arch/" + machine + ".yaml").config);
}

std::string name_of(const MeasuredInstruction& row) {
  return row.name + " " + row.types + " " + row.shape + " " + std::to_string(row.warps) + " warps";
}

/// How much faster than measured the two outliers are simulated: one whose bubble is three times as
/// long as the others', and int4, which reaches 89 % of its peak: docs/evidence.md. 1 for others.
double excess_of(const MeasuredInstruction& row) {
  if (row.dtype == DataType::int4 && row.warps == 8) return 1.087;
  const bool has_long_bubble = row.name == "mma.sp.sync" && row.types == "fp16/fp32" &&
                               row.shape == "m16n8k16" && row.warps == 4;
  return has_long_bubble ? 1.146 : 1.0;
}

/// Latency and throughput are as measured within 3 % with two bubbles for all instructions, but for
/// two throughputs.
TEST(InstructionRows, AreAsMeasuredOnTheA100) {
  MachineRunner runner = runner_of("a100");
  int rows = 0;
  int outliers = 0;
  for (const MeasuredInstruction& measured : shipped_rows("A100")) {
    InstructionRow row;
    row.measured = measured;
    simulate_instruction(runner, row);
    SCOPED_TRACE(name_of(measured));
    EXPECT_NEAR(*row.latency_cycles / *measured.latency_cycles, 1.0, kClose);
    const double excess = excess_of(measured);
    if (excess > 1.0) ++outliers;
    EXPECT_NEAR(*row.fma_per_clk / *measured.fma_per_clk, excess, excess > 1.0 ? 0.001 : kClose);
    ++rows;
  }
  EXPECT_EQ(rows, 30);
  EXPECT_EQ(outliers, 2);
}

/// wgmma with A from shared memory and from registers, dense and sparse, and mma's latency.
TEST(InstructionRows, AreAsMeasuredOnTheH800) {
  MachineRunner runner = runner_of("h100_sxm");
  int rows = 0;
  for (const MeasuredInstruction& measured : shipped_rows("H800 PCIe")) {
    InstructionRow row;
    row.measured = measured;
    simulate_instruction(runner, row);
    SCOPED_TRACE(name_of(measured));
    EXPECT_NEAR(*row.latency_cycles / *measured.latency_cycles, 1.0, 0.01);
    if (measured.fma_per_clk) {
      EXPECT_NEAR(*row.fma_per_clk / *measured.fma_per_clk, 1.0, 0.01);
    }
    ++rows;
  }
  EXPECT_EQ(rows, 12);
}

/// Where the number of chains is published, the rule for rows without one finds the same.
TEST(InstructionRows, TheRuleForTheNumberOfChainsFindsThePublishedOnes) {
  MachineRunner runner = runner_of("a100");
  int rows = 0;
  for (const MeasuredInstruction& measured : shipped_rows("A100")) {
    if (measured.ilp == 0) continue;
    InstructionRow row;
    row.measured = measured;
    row.measured.ilp = 0;
    simulate_instruction(runner, row);
    EXPECT_EQ(row.ilp, measured.ilp) << name_of(measured);
    ++rows;
  }
  EXPECT_EQ(rows, 16);
}

/// m64n256k32 of fp16: 512 bytes of kept A per warp, 32 x 256 x 2 / 4 bytes of B.
TEST(InstructionRows, AWarpGroupReadsBOnceAndItsRowsOfA) {
  const MachineConfig machine =
      load_machine(STCSIM_SOURCE_DIR "/configs/arch/h100_sxm.yaml").config;
  MeasuredInstruction wanted;
  wanted.pattern = {2, 4};
  wanted.m = 64;
  wanted.n = 256;
  wanted.k = 32;
  wanted.of_warp_group = true;
  EXPECT_EQ(loop_of(wanted, machine).fragment_bytes, 512 + 4096);
  EXPECT_EQ(loop_of(wanted, machine).parts, 32);
  wanted.a_from_registers = true;
  EXPECT_EQ(loop_of(wanted, machine).fragment_bytes, 4096);
  wanted.m = 48;
  EXPECT_THROW((void)loop_of(wanted, machine), ConfigError);
}

}  // namespace
}  // namespace stcsim
