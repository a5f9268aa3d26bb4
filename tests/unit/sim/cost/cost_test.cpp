#include <array>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/cost/cost_table.hpp"
#include "sim/cost/launch_cost.hpp"
#include "sim/cost/machine_area.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/launch_result.hpp"
#include "tests/support/counters.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/tiny_machine.hpp"
#include "tests/unit/config/scratch_folder.hpp"
#include "tests/unit/sim/cost/costly_launch.hpp"

namespace stcsim {
namespace {

constexpr DataType kFp16 = DataType::fp16;

std::int64_t count_of(const ActionCounts& counts, Action action) {
  return counts.at(static_cast<std::size_t>(action));
}

/// 32x16 of C in tiles of 16x8, K in four steps: what a pencil counts.
TEST(ActionCounts, OfADenseGemmAreThoseOfItsShapeAndTiles) {
  const MachineConfig machine = test::tiny_machine();
  MachineRunner runner(machine);
  const LaunchResult launch = run_gemm(runner, test::make_problem(32, 16, 64), {"dense", 1}).result;
  const ActionCounts counts = action_counts(machine, launch);
  constexpr std::int64_t kTiles = 2 * 2;
  constexpr std::int64_t kInstructions = kTiles * 4;
  EXPECT_EQ(count_of(counts, Action::mac), 32 * 16 * 64);
  EXPECT_EQ(count_of(counts, Action::idle_mac), launch.cycles * 256 - 32 * 16 * 64);
  EXPECT_EQ(count_of(counts, Action::selector_mux), 0);
  EXPECT_EQ(count_of(counts, Action::metadata_byte), 0);
  EXPECT_EQ(count_of(counts, Action::decode), 0);
  EXPECT_EQ(count_of(counts, Action::register_byte), kInstructions * (16 + 8) * 16 * 2);
  EXPECT_EQ(count_of(counts, Action::accumulator_byte), kInstructions * 2 * 16 * 8 * 4);
  // Operands in and out again; accumulators of 4 bytes once each way in the epilogue.
  constexpr std::int64_t kOperands = kTiles * (16 + 8) * 64 * 2;
  EXPECT_EQ(count_of(counts, Action::shared_write_byte), kOperands + 32 * 16 * 4);
  EXPECT_EQ(count_of(counts, Action::shared_read_byte), kOperands + 32 * 16 * 4);
  EXPECT_EQ(count_of(counts, Action::l2_read_byte), kOperands);
  EXPECT_EQ(count_of(counts, Action::l2_write_byte), 32 * 16 * 2);
  EXPECT_EQ(count_of(counts, Action::bus_byte), kOperands + 32 * 16 * 2);
  EXPECT_EQ(count_of(counts, Action::stored_byte), 32 * 16 * 2);
  EXPECT_EQ(count_of(counts, Action::dram_read_byte), (32 + 16) * 64 * 2);
  EXPECT_EQ(count_of(counts, Action::dram_write_byte), 32 * 16 * 2);
  EXPECT_EQ(count_of(counts, Action::sm_cycle), launch.cycles);
}

/// The same with K twice as long and half of A left out: as many instructions, with metadata.
TEST(ActionCounts, OfASparseGemmAddMetadataAndSelection) {
  const MachineConfig machine = test::tiny_machine();
  MachineRunner runner(machine);
  const GemmProblem problem = test::make_problem(32, 16, 128, 1, kFp16, Pattern{2, 4});
  const LaunchResult launch = run_gemm(runner, problem, {"sparse", 1}).result;
  const ActionCounts counts = action_counts(machine, launch);
  constexpr std::int64_t kInstructions = 2 * 2 * 4;
  EXPECT_EQ(count_of(counts, Action::mac), 32 * 16 * 128 / 2);
  // Each kept product's operand of B comes from one of four: three multiplexers of 16 bits.
  EXPECT_EQ(count_of(counts, Action::selector_mux), 32 * 16 * 64 * 3 * 16);
  // Two bits for each of the 16 values kept of a row.
  EXPECT_EQ(count_of(counts, Action::metadata_byte), kInstructions * 16 * 16 * 2 / 8);
  EXPECT_EQ(count_of(counts, Action::decode), kInstructions * 16 * 16);
  EXPECT_EQ(count_of(counts, Action::register_byte),
            kInstructions * (16 * 16 * 2 + 8 * 32 * 2 + 16 * 16 * 2 / 8));
  EXPECT_EQ(count_of(counts, Action::accumulator_byte), kInstructions * 2 * 16 * 8 * 4);
}

/// Half of 16 rows of 32: 256 values, of 4:8 pairs 128 pairs with an index each.
TEST(ActionCounts, APairIsDecodedOnce) {
  MmaInstruction instruction{.dtype = kFp16, .pattern = {4, 8}, .m = 16, .n = 8, .k = 32};
  EXPECT_EQ(actions_of(instruction, {}, 3).decodes, 3 * 256);
  instruction.pattern.granule = 2;
  EXPECT_EQ(actions_of(instruction, {}, 3).decodes, 3 * 128);
}

TEST(ActionCounts, FastForwardAndSplitsChangeNone) {
  const MachineConfig machine = load_machine(STCSIM_SOURCE_DIR "/configs/arch/a100.yaml").config;
  MachineRunner runner(machine);
  const GemmProblem problem = test::make_problem(1024, 512, 4096, 1, kFp16, Pattern{2, 4});
  const auto counts = [&] { return action_counts(machine, run_gemm(runner, problem, {}).result); };
  const ActionCounts fast = counts();
  runner.set_fast_forward(false);
  EXPECT_EQ(counts(), fast);
  EXPECT_EQ(count_of(fast, Action::mac), problem.macs() / 2);
  // Each value of A for every tile column.
  EXPECT_EQ(count_of(fast, Action::decode) % (1024 * 4096 / 2), 0);
  // Three partial sums of 4 bytes, then the result.
  EXPECT_EQ(count_of(fast, Action::stored_byte), 1024 * 512 * (3 * 4 + 2));
}

/// 1000 MHz; 1 pJ a multiply-accumulate.
MachineConfig board() {
  MachineConfig machine = test::tiny_machine();
  PowerConfig& power = machine.power;
  power.limit_watts = 100;
  power.idle_watts = 3;
  power.mac_energy = {{kFp16, 1.0}};
  power.shared_memory_pj_per_byte = 2.0;
  power.dram_pj_per_byte = 10.0;
  power.voltage_floor = 0.5;
  power.register_pj_per_byte = 1.0;
  power.accumulator_pj_per_byte = 0.5;
  power.metadata_pj_per_byte = 4.0;
  power.selector_mux_pj = 0.001;
  power.l2_pj_per_byte = 4.0;
  return machine;
}

CostTable drawn() {
  CostTable table;
  table.name = "drawn";
  table.basis = CostBasis::board;
  return table;
}

constexpr double kFed = 70e-6 + 30e-6 + 20e-6 + 800e-6 + 44e-6;

TEST(BoardCosts, AddUpToWhatTheBoardDraws) {
  const LaunchCost cost = cost_of(board(), kFp16, test::costly_launch(), drawn());
  EXPECT_DOUBLE_EQ(cost.seconds, 1e-3);
  EXPECT_NEAR(cost.joules, board_watts(board(), kFp16, test::costly_launch(), 1000) * 1e-3, 1e-15);
  EXPECT_NEAR(cost.joules, 3e-3 + 4e-3 + 100e-6 + 25e-6, 1e-15);
  EXPECT_DOUBLE_EQ(cost.of(Action::sm_cycle), 3e-3);
  EXPECT_DOUBLE_EQ(cost.of(Action::shared_read_byte), 60e-6);
  EXPECT_DOUBLE_EQ(cost.of(Action::shared_write_byte), 40e-6);
  EXPECT_DOUBLE_EQ(cost.of(Action::dram_read_byte), 20e-6);
  EXPECT_DOUBLE_EQ(cost.of(Action::dram_write_byte), 5e-6);
  EXPECT_DOUBLE_EQ(cost.of(Action::register_byte), 70e-6);
  EXPECT_DOUBLE_EQ(cost.of(Action::accumulator_byte), 30e-6);
  EXPECT_DOUBLE_EQ(cost.of(Action::metadata_byte), 20e-6);
  EXPECT_DOUBLE_EQ(cost.of(Action::selector_mux), 800e-6);
  EXPECT_DOUBLE_EQ(cost.of(Action::l2_read_byte), 40e-6);
  EXPECT_DOUBLE_EQ(cost.of(Action::l2_write_byte), 4e-6);
  EXPECT_NEAR(cost.of(Action::mac), 4e-3 - kFed, 1e-15);
  // idle, decode, bus, epilogue
  EXPECT_EQ(cost.missing.size(), 4);
}

/// Of a multiply-accumulate of 2:4 by m16n8k32, in tiles of 256x128: (512 + 512 + 64) / 2048 bytes
/// from registers, half a byte of accumulators, 3 multiplexers of 16 bits, 64 / 2048 bytes of
/// metadata, and of L2 (256 * (32 + 4) + 128 * 64) / (256 * 128 * 16).
TEST(BoardCosts, WhatWiderPatternsNeedBeyondTwoOfFourIsAdded) {
  LaunchResult wide = test::costly_launch();
  wide.actions.unmeasured_macs = 1'000'000'000;
  const double contained = 1.0 * 1088 / 2048 + 0.5 * 0.5 + 4.0 * 64 / 2048 + 0.001 * 48 +
                           4.0 * (256 * 36 + 128 * 64) / (256 * 128 * 16);
  const BoardEnergy energy = board_energy(board(), kFp16, wide, 1000);
  EXPECT_NEAR(energy.beyond, std::max(0.0, kFed - contained * 1e-3), 1e-15);
  wide.actions.unmeasured_macs = 100'000'000;
  const double beyond = kFed - contained * 1e-4;
  ASSERT_GT(beyond, 0);
  EXPECT_NEAR(board_energy(board(), kFp16, wide, 1000).beyond, beyond, 1e-15);
  const LaunchCost cost = cost_of(board(), kFp16, wide, drawn());
  EXPECT_NEAR(cost.joules, 3e-3 + 4e-3 + beyond + 100e-6 + 25e-6, 1e-15);
  EXPECT_NEAR(cost.of(Action::mac), 4e-3 + beyond - kFed, 1e-15);
  EXPECT_NEAR(board_watts(board(), kFp16, wide, 1000), cost.joules * 1e3, 1e-12);
}

TEST(BoardCosts, FallWithTheVoltageAndWithZeros) {
  LaunchResult slow = test::costly_launch();
  slow.clock_mhz = 500;  // V = 0.75
  const LaunchCost cost = cost_of(board(), kFp16, slow, drawn());
  EXPECT_NEAR(cost.joules, board_watts(board(), kFp16, slow, 500) * 2e-3, 1e-15);
  EXPECT_NEAR(cost.of(Action::register_byte), 70e-6 * 0.5625, 1e-18);
  EXPECT_DOUBLE_EQ(cost.of(Action::dram_read_byte), 20e-6);
  MachineConfig machine = board();
  machine.power.zero_operand_share = 0.5;
  const LaunchCost zeros =
      cost_of(machine, kFp16, test::costly_launch(), drawn(), OperandValues::zeros);
  EXPECT_NEAR(zeros.joules,
              board_watts(machine, kFp16, test::costly_launch(), 1000, OperandValues::zeros) * 1e-3,
              1e-15);
  EXPECT_NEAR(zeros.of(Action::l2_read_byte), 20e-6, 1e-18);
}

TEST(BoardCosts, VectorUnitsTakeEnergyForTheirBytes) {
  MachineConfig machine = board();
  machine.power.vector_pj_per_byte = 50;
  LaunchResult stream = test::costly_launch();
  const double without = board_energy(machine, kFp16, stream, 500).total();
  stream.actions.vector_bytes = 1'000'000;
  EXPECT_NEAR(board_energy(machine, kFp16, stream, 500).total() - without, 50e-6 * 0.5625, 1e-15);
}

TEST(BoardCosts, NeverTakeMoreThanThereIs) {
  MachineConfig greedy = board();
  greedy.power.register_pj_per_byte = 1e6;
  const LaunchCost cost = cost_of(greedy, kFp16, test::costly_launch(), drawn());
  EXPECT_EQ(cost.of(Action::mac), 0);
  EXPECT_NEAR(cost.joules, board_watts(greedy, kFp16, test::costly_launch(), 1000) * 1e-3, 1e-12);
}

TEST(OwnCosts, AreCountsTimesEnergies) {
  CostTable table;
  table.name = "mine";
  table.energies = {{"multipliers", "mac", kFp16, 2.0, "-"},
                    {"multipliers", "mac", {}, 7.0, "-"},
                    {"static", "sm_cycle", {}, 500.0, "-"}};
  const LaunchCost cost = cost_of(test::tiny_machine(), kFp16, test::costly_launch(), table);
  EXPECT_DOUBLE_EQ(cost.joules, 8e-3 + 500e-6);
  EXPECT_DOUBLE_EQ(cost.energy_delay(), cost.joules * 1e-3);
  EXPECT_DOUBLE_EQ(
      cost_of(test::tiny_machine(), DataType::int8, test::costly_launch(), table).of(Action::mac),
      28e-3);
}

/// 32 banks of 4 bytes, and 64 bytes a clock that come in beside them.
TEST(MachineAreas, HaveThePortThatFillsSharedMemory) {
  CostTable table;
  table.name = "mine";
  table.areas = {{"shared_memory", "port_byte", {}, 5.0, "-"}};
  MachineConfig machine = test::tiny_machine();
  SharedMemoryConfig& memory = machine.accelerator.sm.shared_memory;
  memory.banks = 32;
  memory.bank_bytes = 4;
  memory.fill_bytes_per_clk = 64;
  memory.has_fill_port = false;
  EXPECT_DOUBLE_EQ(area_of(machine, table).of(Part::shared_port_byte), 5.0 * 128);
  memory.has_fill_port = true;
  EXPECT_DOUBLE_EQ(area_of(machine, table).of(Part::shared_port_byte), 5.0 * (128 + 64));
}

TEST(OwnCosts, ATypeNobodyKnowsIsRefused) {
  CostTable table;
  table.name = "mine";
  table.file = "costs.yaml";
  table.energies = {{"multipliers", "mac", kFp16, 2.0, "-"}};
  EXPECT_EQ(
      error_of([&] {
        static_cast<void>(cost_of(board(), DataType::int8, test::costly_launch(), table));
      }),
      "costs.yaml: error: mine has no energy of a multiply-accumulate of int8, must have one");
  EXPECT_EQ(error_of([&] {
              static_cast<void>(cost_of(board(), DataType::int8, test::costly_launch(), drawn()));
            }),
            "error: the costs of drawn are what a board draws, and tiny does not say what it "
            "draws for int8 ('power')");
}

}  // namespace
}  // namespace stcsim
