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

std::vector<CostTable> shipped_tables() {
  std::vector<CostTable> tables;
  for (const CatalogEntry& entry : list_configs(ConfigKind::cost)) {
    tables.push_back(load_costs(entry.name));
  }
  return tables;
}

TEST(ShippedCosts, LoadUnderTheirFilesNameWithASourceForEveryFigure) {
  const std::vector<CatalogEntry> entries = list_configs(ConfigKind::cost);
  EXPECT_FALSE(entries.empty());
  for (const CatalogEntry& entry : entries) {
    const CostTable table = load_costs(entry.name);
    EXPECT_EQ(table.name, entry.name);
    EXPECT_NE(table.description, "") << entry.name;
    EXPECT_GT(table.node_nm, 0) << entry.name;
  }
}

/// Twice a figure is another cost.
TEST(ShippedCosts, EveryEnergyCounts) {
  const MachineConfig machine = load_machine("a100").config;
  for (const CostTable& table : shipped_tables()) {
    for (std::size_t at = 0; at < table.energies.size(); ++at) {
      CostTable other = table;
      other.energies[at].value *= 2;
      const DataType dtype = table.energies[at].dtype.value_or(
          has_costs(machine, DataType::fp16, table) ? DataType::fp16 : DataType::int8);
      EXPECT_NE(cost_of(machine, dtype, test::costly_launch(), table),
                cost_of(machine, dtype, test::costly_launch(), other))
          << table.name << " energy " << at;
    }
  }
}

TEST(ShippedCosts, EveryAreaCounts) {
  for (const CostTable& table : shipped_tables()) {
    if (table.areas.empty()) continue;
    for (std::size_t at = 0; at < table.areas.size(); ++at) {
      CostTable other = table;
      other.areas[at].value *= 2;
      const bool is_fp8 = table.areas[at].dtype && *table.areas[at].dtype >= DataType::fp8_e4m3;
      const MachineConfig machine = load_machine(is_fp8 ? "h100_sxm" : "a100").config;
      EXPECT_LT(area_of(machine, table).machine_um2, area_of(machine, other).machine_um2)
          << table.name << " area " << at;
    }
  }
}

/// From shapes and tiles alone, counted by hand: 128x256 of C and 32 of K for every CTA.
TEST(ShippedCosts, EnergyOfALargeGemmFollowsFromItsShape) {
  const MachineConfig machine = load_machine("a100").config;
  MachineRunner runner(machine);
  const GemmProblem problem = test::make_problem(8192, 8192, 8192);
  const LaunchResult launch =
      run_gemm_sustained(runner, problem, {"dense_128x256x32_s3", 1, ""}).result;
  const double seconds = launch.time_us() * 1e-6;
  const double voltage = 0.5 + 0.5 * launch.clock_mhz / 1410;
  const double macs = 8192.0 * 8192 * 8192;
  const double tiles = 64 * 32;
  const double filled = tiles * (128 + 256) * 8192 * 2;
  // Warps of 64x64 read (64 + 64) rows of what 8 warps share.
  const double read = tiles * 8 * (64 + 64) * 8192 * 2;
  const double staged = 8192.0 * 8192 * 4;
  const double dram = static_cast<double>(launch.count("dram_read_bytes")) + 8192.0 * 8192 * 2;
  const double joules =
      80 * seconds + voltage * voltage * (2.3e-12 * macs + 2.4e-12 * (filled + read + 2 * staged)) +
      40e-12 * dram;
  const LaunchCost cost = cost_of(machine, DataType::fp16, launch, load_costs("ga100_7nm"));
  EXPECT_NEAR(cost.joules / joules, 1.0, 1e-9);
}

TEST(ShippedCosts, WiderSelectorsTakeMoreAreaAndEnergy) {
  const CostTable table = load_costs("ga100_7nm");
  MachineConfig machine = load_machine("a100").config;
  OperandSelectorConfig& selector = machine.accelerator.sm.operand_selector;
  selector.native_patterns_by_type = {};
  double area = 0;
  for (const Pattern pattern : {Pattern{1, 2}, Pattern{2, 4}, Pattern{4, 8}, Pattern{16, 32}}) {
    selector.native_patterns = {pattern};
    const MachineArea now = area_of(machine, table);
    EXPECT_GT(now.machine_um2, area) << pattern.to_string();
    area = now.machine_um2;
  }
  // 1:8 through the width of 2:4: a quarter of the values, seven multiplexers for three.
  selector.native_patterns = {{2, 4}};
  EXPECT_DOUBLE_EQ(selector_muxes(machine.accelerator.sm), 256 * 3 * 16);
  selector.native_patterns = {{1, 8}};
  EXPECT_DOUBLE_EQ(selector_muxes(machine.accelerator.sm), 64 * 7 * 16);
  selector.b_bytes_per_clk = 256;
  EXPECT_DOUBLE_EQ(selector_muxes(machine.accelerator.sm), 256 * 7 * 16);
  selector.b_bytes_per_clk = 1024;  // there are no more multipliers
  EXPECT_DOUBLE_EQ(selector_muxes(machine.accelerator.sm), 256 * 7 * 16);
  // Lanes of four look at a group of eight twice, and let half as many values through.
  selector.lane_inputs = 4;
  EXPECT_DOUBLE_EQ(selector_muxes(machine.accelerator.sm), 128 * 3 * 16);
  // Two levels: one of eight blocks, then one of the four places inside it.
  selector.native_patterns = {{8, 32, 4, 2}};
  selector.block_inputs = 8;
  EXPECT_DOUBLE_EQ(selector_muxes(machine.accelerator.sm), 256 * (7 + 3) * 16);
  EXPECT_EQ(muxes_per_value({8, 32, 4, 2}), 7 + 3);
  selector.native_patterns = {};
  EXPECT_DOUBLE_EQ(area_of(machine, table).core_ratio(), 1.0);
}

/// 256 values of two bytes leave a sub-core's selector in a clock; each register takes them in once
/// more, in 24 transistors a bit where a multiplexer has 12.
TEST(ShippedCosts, RegistersOfTheSelectorTakeAreaAndEnergy) {
  const CostTable table = load_costs("ga100_7nm");
  MachineConfig machine = load_machine("a100").config;
  OperandSelectorConfig& selector = machine.accelerator.sm.operand_selector;
  const MmaInstruction instruction{DataType::fp16, {2, 4}, 16, 8, 32, 25, 0};
  const auto joules = [&] {
    LaunchResult launch = test::costly_launch();
    launch.actions = actions_of(instruction, machine.accelerator.sm, 1'000'000);
    return cost_of(machine, DataType::fp16, launch, table);
  };
  const MachineArea area = area_of(machine, table);
  const LaunchCost cost = joules();
  selector.selector_stages = 3;
  EXPECT_DOUBLE_EQ(selector_register_bytes(machine.accelerator.sm), 3 * 256 * 2);
  EXPECT_NEAR(area_of(machine, table).machine_um2 - area.machine_um2, 108 * 4 * 3 * 512 * 1.99, 1);
  const std::int64_t bits = 3 * 1'000'000LL * 16 * 8 * 16 * 16;
  EXPECT_EQ(actions_of(instruction, machine.accelerator.sm, 1'000'000).selector_register_bits,
            bits);
  EXPECT_EQ(actions_of({DataType::fp16, kDense, 16, 8, 16, 25, 0}, machine.accelerator.sm, 1)
                .selector_register_bits,
            0);
  const double voltage = 0.5 + 0.5 * 1000 / 1410;
  const double more = 2e-12 * machine.power.selector_mux_pj * static_cast<double>(bits);
  EXPECT_NEAR((joules().joules - cost.joules) / (more * voltage * voltage), 1.0, 1e-9);
}

TEST(ShippedCosts, EveryWidthAndCapacityTakesArea) {
  using Change = std::function<void(MachineConfig&)>;
  const std::vector<std::pair<const char*, Change>> changes{
      {"num_sms", [](auto& m) { m.accelerator.num_sms *= 2; }},
      {"multipliers",
       [](auto& m) {
         for (auto& rate : m.accelerator.sm.tensor_core.multipliers) rate.fma_per_clk *= 2;
       }},
      {"selector", [](auto& m) { m.accelerator.sm.operand_selector.b_bytes_per_clk *= 2; }},
      {"metadata", [](auto& m) { m.accelerator.sm.operand_selector.metadata_buffer_bytes = 4096; }},
      {"registers", [](auto& m) { m.accelerator.sm.registers *= 2; }},
      {"register width",
       [](auto& m) { m.accelerator.sm.operand_fetch.register_bytes_per_clk *= 2; }},
      {"accumulators",
       [](auto& m) { m.accelerator.sm.operand_fetch.accumulator_bytes_per_clk *= 2; }},
      {"lanes", [](auto& m) { m.accelerator.sm.vector_lanes_per_sub_core *= 2; }},
      {"shared memory", [](auto& m) { m.accelerator.sm.shared_memory.capacity_bytes *= 2; }},
      {"its port", [](auto& m) { m.accelerator.sm.shared_memory.bank_bytes *= 2; }},
      {"bus", [](auto& m) { m.accelerator.memory_bus.sm_read_bytes_per_clk *= 2; }},
      {"L2", [](auto& m) { m.accelerator.l2_cache.capacity_bytes *= 2; }},
      {"L2 width", [](auto& m) { m.accelerator.l2_cache.read_bytes_per_clk *= 2; }},
      {"DRAM", [](auto& m) { m.accelerator.dram.bytes_per_clk *= 2; }},
  };
  const CostTable table = load_costs("ga100_7nm");
  const MachineConfig a100 = load_machine("a100").config;
  const double before = area_of(a100, table).machine_um2;
  for (const auto& [what, change] : changes) {
    MachineConfig machine = a100;
    change(machine);
    EXPECT_GT(area_of(machine, table).machine_um2, before) << what;
  }
}

/// The annotated die photo: an SM of 3.72 mm2; L2 2.37 um2 a byte, 76.44 mm2 of interconnect for
/// 128.
TEST(ShippedCosts, AreaOfTheA100IsNearTheDiePhoto) {
  const MachineArea area = area_of(load_machine("a100").config, load_costs("ga100_7nm"));
  EXPECT_NEAR(area.sm_um2 * 1e-6, 3.72, 0.15 * 3.72);
  EXPECT_NEAR(area.of(Part::bus_port_byte) * 1e-6, 76.44 * 108 / 128, 0.1);
  EXPECT_TRUE(area.missing.empty());
  // Three multiplexers of 16 bits beside a multiplier, buffers: a few percent.
  EXPECT_NEAR(area.core_ratio(),
              1 + 3 * 16 * 0.1246 / 263.2 + (64 * 1.99 + 256 * 3.47) / (256 * 263.2), 1e-12);
}

TEST(ShippedCosts, AnIdealMachineHasNoAreaToSpeakOf) {
  const MachineArea area = area_of(load_machine("ideal").config, load_costs("ga100_7nm"));
  EXPECT_FALSE(area.unlimited.empty());
  EXPECT_GT(area.dense_core_um2, 0);
  EXPECT_EQ(error_of([] {
              static_cast<void>(area_of(load_machine("a100").config, load_costs("horowitz_45nm")));
            }),
            load_costs("horowitz_45nm").file +
                ": error: the table of costs 'horowitz_45nm' has no 'area', must be one that has");
}

/// More of anything never costs less, by any table.
TEST(ShippedCosts, EnergiesAreMonotoneInEveryCount) {
  const MachineConfig machine = load_machine("a100").config;
  LaunchResult launch = test::costly_launch();
  launch.actions.unmeasured_macs = launch.multiplier_macs / 10;
  for (const CostTable& table : shipped_tables()) {
    const DataType dtype =
        has_costs(machine, DataType::fp16, table) ? DataType::fp16 : DataType::int8;
    const double before = cost_of(machine, dtype, launch, table).joules;
    const auto with = [&](auto change) {
      LaunchResult more = launch;
      change(more);
      return cost_of(machine, dtype, more, table).joules;
    };

    EXPECT_GT(with([](auto& l) { l.actions.metadata_bytes *= 2; }), before) << table.name;
    EXPECT_GT(with([](auto& l) { l.actions.selector_muxes *= 2; }), before) << table.name;
    EXPECT_GT(with([](auto& l) { l.multiplier_macs += l.multiplier_macs / 4; }), before)
        << table.name;
    for (const char* counter : {"shared_memory_read_bytes", "dram_write_bytes"}) {
      const double after = with([&](auto& l) {
        for (Counter& one : l.counters) one.value *= one.name == counter ? 2 : 1;
      });
      EXPECT_GT(after, before) << table.name << ' ' << counter;
    }
  }
}

}  // namespace
}  // namespace stcsim
