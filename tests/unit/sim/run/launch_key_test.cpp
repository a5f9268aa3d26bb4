#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/launch_cache.hpp"
#include "sim/run/machine_runner.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

using Change = std::function<void(AcceleratorConfig&)>;

constexpr RunConditions kConditions{1000, 2.5, true, SamplingEffort()};

KernelLaunch gemm_launch(Pattern pattern) {
  GemmProblem problem = test::make_problem(48, 24, 128);
  problem.a_pattern = pattern;
  const char* const kernel = pattern.is_dense() ? "dense" : "sparse";
  return gemm_candidates(test::tiny_machine(), problem, {kernel, 1}).front().launch;
}

KernelLaunch stream_kernel() {
  return stream_launch(test::tiny_machine(), {1 << 16, 1 << 15, 1 << 14});
}

std::vector<KernelLaunch> launches() {
  return {gemm_launch(kDense), gemm_launch({2, 4}), stream_kernel()};
}

std::string key_of(const AcceleratorConfig& machine, const KernelLaunch& launch,
                   const RunConditions& conditions = kConditions) {
  return LaunchKeys().of(machine, conditions, launch);
}

/// What decides which kernels fit, and which patterns there are.
std::vector<Change> unseen_by_all() {
  return {[](auto& machine) { machine.dram.capacity_bytes *= 2; },
          [](auto& machine) { machine.sm.max_ctas += 1; },
          [](auto& machine) { machine.sm.max_warps += 1; },
          [](auto& machine) { machine.sm.registers *= 2; },
          [](auto& machine) { machine.sm.max_registers_per_thread += 1; },
          [](auto& machine) { machine.sm.shared_memory.capacity_bytes *= 2; },
          [](auto& machine) { machine.sm.shared_memory.max_bytes_per_cta *= 2; },
          [](auto& machine) { machine.sm.shared_memory.reserved_bytes_per_cta = 0; },
          [](auto& machine) { machine.sm.tensor_core.instructions.pop_back(); },
          [](auto& machine) { machine.sm.tensor_core.instructions.front().interval_cycles = 9; },
          [](auto& machine) {
            machine.sm.operand_selector.native_patterns.push_back({1, 4});
          },
          [](auto& machine) {
            machine.sm.operand_selector.native_patterns_by_type = {{DataType::tf32, {{1, 2}}}};
          },
          [](auto& machine) { machine.sm.operand_selector.short_groups = kSkippedSlots; },
          [](auto& machine) { machine.sm.operand_selector.lane_inputs = 4; },
          [](auto& machine) { machine.sm.operand_selector.block_inputs = 8; }};
}

/// What is there for sparse operands.
std::vector<Change> seen_by_sparse_ones() {
  return {[](auto& machine) { machine.sm.operand_selector.b_bytes_per_clk = 8; },
          [](auto& machine) { machine.sm.operand_selector.metadata_decode_cycles = 40; },
          [](auto& machine) { machine.sm.operand_selector.metadata_decode_bytes_per_clk = 1; },
          [](auto& machine) { machine.sm.operand_selector.selector_stages = 9; },
          [](auto& machine) {
            machine.sm.operand_selector.metadata_fill_bytes_per_clk = 1;
            machine.sm.operand_selector.metadata_buffer_bytes = 1;
          },
          [](auto& machine) { machine.sm.operand_selector.lane_inputs = 1; }};
}

AcceleratorConfig changed(const Change& change) {
  AcceleratorConfig machine = test::tiny_machine().accelerator;
  change(machine);
  return machine;
}

TEST(LaunchKey, IsTheSameWhereALaunchSeesTheSame) {
  const AcceleratorConfig machine = test::tiny_machine().accelerator;
  for (const KernelLaunch& launch : launches()) {
    const std::string key = key_of(machine, launch);
    EXPECT_EQ(key.size(), 64);
    std::size_t number = 0;
    for (const Change& change : unseen_by_all()) {
      EXPECT_EQ(key_of(changed(change), launch), key) << "change " << number++;
    }
    const bool is_sparse = launch.warp.instruction && !launch.warp.instruction->pattern.is_dense();
    for (const Change& change : seen_by_sparse_ones()) {
      EXPECT_EQ(key_of(changed(change), launch) != key, is_sparse) << "change " << number++;
    }
  }
}

/// What makes no difference to the key makes none to what a launch does.
TEST(LaunchKey, EqualOnesMeanEqualStatistics) {
  std::vector<std::unique_ptr<MachineRunner>> runners;
  const auto add = [&](const Change& change) {
    MachineConfig machine = test::tiny_machine();
    change(machine.accelerator);
    runners.push_back(std::make_unique<MachineRunner>(machine));
  };
  add([](AcceleratorConfig&) {});
  for (const Change& change : unseen_by_all()) add(change);
  const std::size_t unseen = runners.size();
  for (const Change& change : seen_by_sparse_ones()) add(change);
  for (const KernelLaunch& launch : launches()) {
    const LaunchStatistics as_it_is = runners.front()->run(launch);
    const bool is_sparse = launch.warp.instruction && !launch.warp.instruction->pattern.is_dense();
    for (std::size_t at = 1; at < runners.size(); ++at) {
      const LaunchStatistics on_other = runners[at]->run(launch);
      if (at < unseen || !is_sparse) {
        EXPECT_EQ(on_other, as_it_is) << "machine " << at;
      } else {
        EXPECT_GT(on_other.cycles, as_it_is.cycles) << "machine " << at;
      }
    }
  }
}

TEST(LaunchKey, DiffersWithAllThatALaunchSees) {
  const AcceleratorConfig machine = test::tiny_machine().accelerator;
  const KernelLaunch launch = gemm_launch({2, 4});
  std::set<std::string> keys{key_of(machine, launch)};
  std::size_t expected = 1;
  const auto expect_another = [&](const std::string& key) {
    keys.insert(key);
    EXPECT_EQ(keys.size(), ++expected);
  };
  for (const Change& change : std::vector<Change>{
           [](auto& other) { other.num_sms = 2; },
           [](auto& other) { other.cta_scheduler.launch_cycles += 1; },
           [](auto& other) { other.sm.sub_cores = 2; },
           [](auto& other) { other.sm.vector_lanes_per_sub_core += 1; },
           [](auto& other) { other.sm.tensor_core.multipliers.front().fma_per_clk += 1; },
           [](auto& other) { other.sm.operand_fetch.register_bytes_per_clk += 1; },
           [](auto& other) { other.sm.shared_memory.latency_cycles += 1; },
           [](auto& other) { other.sm.shared_memory.banks += 1; },
           [](auto& other) { other.sm.copy_engine.issue_bytes_per_clk += 1; },
           [](auto& other) { other.sm.copy_engine.thread_bytes_per_clk += 1; },
           [](auto& other) { other.sm.epilogue.setup_cycles += 1; },
           [](auto& other) { other.memory_bus.hop_cycles += 1; },
           [](auto& other) { other.l2_cache.capacity_bytes += 1; },
           [](auto& other) { other.dram.latency_cycles += 1; }}) {
    expect_another(key_of(changed(change), launch));
  }
  const SamplingEffort effort;
  for (const RunConditions& conditions :
       {RunConditions{1000, 2.5, false, effort}, RunConditions{1000, 2.5, true, {}},
        RunConditions{1000, 2.5, true, SamplingEffort{effort.exact_events + 1}}}) {
    expect_another(key_of(machine, launch, conditions));
  }
  for (const std::function<void(KernelLaunch&)>& change :
       std::vector<std::function<void(KernelLaunch&)>>{
           [](auto& other) { ++other.tiles_m; },
           [](auto& other) { ++other.tiles_n; },
           [](auto& other) { ++other.splits; },
           [](auto& other) { ++other.batch_count; },
           [](auto& other) { ++other.raster_group; },
           [](auto& other) { ++other.k; },
           [](auto& other) { ++other.tile_k; },
           [](auto& other) { ++other.k_steps; },
           [](auto& other) { ++other.ctas_per_sm; },
           [](auto& other) { ++other.warps; },
           [](auto& other) { ++other.stages; },
           [](auto& other) { ++other.tile_m; },
           [](auto& other) { ++other.tile_n; },
           [](auto& other) { --other.edge_m; },
           [](auto& other) { --other.edge_n; },
           [](auto& other) { ++other.a.rows; },
           [](auto& other) { ++other.b.rows; },
           [](auto& other) { ++other.metadata.rows; },
           [](auto& other) { ++other.column_indices.rows; },
           [](auto& other) { other.a.starts_in_l2 = true; },
           [](auto& other) { other.b.access_bytes = 8; },
           [](auto& other) { ++other.tiles_per_block; },
           [](auto& other) { other.index_wait += kOneCycle; },
           [](auto& other) { other.metadata_in_registers = true; },
           [](auto& other) { ++other.ctas_per_read_of_a; },
           [](auto& other) { ++other.epilogue.elements_per_clk; },
           [](auto& other) { ++other.ctas_per_read_of_b; },
           [](auto& other) { ++other.warp.groups_per_step; },
           [](auto& other) { ++other.warp.fragments.b; },
           [](auto& other) { other.warp.instruction.reset(); },
           [](auto& other) { ++other.warp.instruction->latency_cycles; },
           [](auto& other) { other.warp.instruction->metadata.coding = MetadataCoding::bitmask; },
           [](auto& other) { other.warp.bubble = Millicycles(1); },
           [](auto& other) { ++other.epilogue.trips; },
           [](auto& other) { ++other.epilogue.warp_groups; },
           [](auto& other) { other.epilogue.source_wait += kOneCycle; }}) {
    KernelLaunch other = launch;
    change(other);
    expect_another(key_of(machine, other));
  }
}

/// The digest of the machine is made once for a clock.
TEST(LaunchKey, TellsClocksApart) {
  LaunchKeys keys;
  AcceleratorConfig machine = test::tiny_machine().accelerator;
  const KernelLaunch launch = gemm_launch(kDense);
  RunConditions conditions = kConditions;
  const std::string key = keys.of(machine, conditions, launch);
  machine.dram.bytes_per_clk *= 2;
  conditions.clock_mhz = 500;
  EXPECT_NE(keys.of(machine, conditions, launch), key);
  conditions.clock_mhz = 1000;
  conditions.launch_us = 3;
  machine.cta_scheduler.launch_cycles += 1;
  EXPECT_NE(keys.of(machine, conditions, launch), key);
}

}  // namespace
}  // namespace stcsim
