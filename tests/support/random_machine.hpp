#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "common/gemm.hpp"
#include "sim/config/machine.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim::test {

/// Draws the same numbers from the same seed everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  /// From `low` to `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::int64_t one_of(const std::vector<std::int64_t>& values) {
    return values[static_cast<std::size_t>(between(0, std::ssize(values) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

/// Visitor of fields that halves, doubles or leaves every number, so that a new one is drawn too.
/// What is unlimited may become a limit, what is nothing something.
class RandomFields {
 public:
  explicit RandomFields(Dice& dice) : dice_(dice) {}

  template <class Value>
  void field(const Field& field, Value& value) {
    if constexpr (std::is_same_v<Value, std::int64_t>) {
      value = std::clamp(drawn(field, value), field.least, field.most);
    } else if constexpr (HasFields<Value>) {
      Value::visit_fields(value, *this);
    }
  }
  template <class Value>
  void field(const Field& field, Value& value, const std::type_identity_t<Value>& /*fallback*/) {
    this->field(field, value);
  }

 private:
  std::int64_t drawn(const Field& field, std::int64_t value) {
    if (field.may_be_unlimited && value == field.most) return dice_.one_of({value, 64, 512});
    if (value == 0) return dice_.one_of({0, 1, 8});
    return value * dice_.one_of({1, 2, 4}) / 2;
  }

  Dice& dice_;
};

/// Every number of the hardware; instructions stay as they are.
inline void randomise(AcceleratorConfig& hardware, Dice& dice) {
  RandomFields fields(dice);
  AcceleratorConfig::visit_fields(hardware, fields);
  SharedMemoryConfig& memory = hardware.sm.shared_memory;
  memory.max_bytes_per_cta =
      std::min(memory.max_bytes_per_cta, memory.capacity_bytes - memory.reserved_bytes_per_cta);
}

/// Numbers of which extremes matter most.
inline void randomise_sm(StreamingMultiprocessorConfig& sm, Dice& dice) {
  sm.sub_cores = dice.one_of({1, 2, 4});
  sm.max_ctas = dice.between(1, 4);
  sm.vector_lanes_per_sub_core = dice.one_of({2, 16, 32, 64});
  sm.tensor_core.same_warp_bubble = Millicycles(250 * dice.between(0, 6));
  for (MmaInstruction& one : sm.tensor_core.instructions) {
    one.latency_cycles = dice.between(1, 40);
  }
  sm.operand_selector.native_patterns = {{2, 4}, {1, 8}, {4, 8}, {4, 8, 2}, outputs(2, 4)};
  sm.operand_selector.b_bytes_per_clk = dice.one_of({16, 64, 256});
  sm.operand_selector.metadata_decode_cycles = dice.between(0, 10);
  sm.operand_fetch.register_bytes_per_clk = dice.one_of({0, 32, 192});
  sm.operand_fetch.fragment_buffers = dice.one_of({1, 2, 6});
  sm.shared_memory.banks = dice.one_of({4, 32});
  sm.shared_memory.fill_bytes_per_clk = sm.shared_memory.port_bytes_per_clk() / dice.between(1, 2);
  sm.shared_memory.latency_cycles = dice.between(1, 30);
  sm.shared_memory.barrier_cycles = dice.between(0, 30);
  sm.copy_engine.issue_bytes_per_clk = dice.one_of({7, 128, 1024});
  // Without a draw of its own, so that all others stay what they were.
  sm.copy_engine.thread_bytes_per_clk = sm.copy_engine.issue_bytes_per_clk == 128 ? 64 : 0;
  sm.epilogue.setup_cycles = dice.between(0, 50);
  sm.epilogue.store_chunk_bytes = dice.one_of({16, 100, 8192});
}

/// Keys of a kernel that most leave at their defaults.
inline void draw_rare_keys(KernelConfig& kernel, Dice& dice) {
  kernel.raster_along_m = dice.between(0, 3) == 0;
  kernel.metadata_in_registers = kernel.sparse && dice.between(0, 1) == 0;
  kernel.stages_output_type = dice.between(0, 1) == 0;
  kernel.bubble = Millicycles(dice.one_of({0, 0, 420, 1000, 2750}));
  kernel.multicast_a = dice.one_of({1, 1, 2, 3, 4});
  // Without a draw of its own, so that all others stay what they were.
  kernel.multicast_b = kernel.multicast_a > 1 ? 5 - kernel.multicast_a : 1;
  kernel.persistent = kernel.stages_output_type && kernel.multicast_a > 1;
  kernel.cta_pair = kernel.multicast_a == 2 && kernel.name.ends_with("_big");
  kernel.ping_pong = kernel.persistent && kernel.multicast_a == 3;
  kernel.epilogue_elements_per_clk = kernel.multicast_a == 4 ? 5 : 0;
}

/// A board that affords full clock, or less, or for a while.
inline PowerConfig random_power(Dice& dice) {
  PowerConfig power;
  power.limit_watts = static_cast<double>(dice.one_of({0, 25, 40, 100}));
  power.burst_joules = static_cast<double>(dice.between(0, 3)) * 1e-4;
  // Without draws of their own, so that all others stay what they were.
  power.excursion_share = power.burst_joules > 1e-4 ? 1.5 : 1;
  power.excursion_ms = 0.01;
  power.surge_share = power.burst_joules > 1e-4 ? 1.2 : 0;
  power.surge_us = 1;
  power.idle_watts = 20;
  for (const DataType type : operand_data_types()) power.mac_energy.push_back({type, 100});
  power.shared_memory_pj_per_byte = 50;
  power.dram_pj_per_byte = 500;
  power.voltage_floor = 0.5;
  return power;
}

/// Selectors, codings of metadata and patterns that no machine has yet.
inline void draw_rare_keys(OperandSelectorConfig& selector, Dice& dice) {
  const std::vector<Pattern> patterns{{2, 6},        {3, 8},    {1, 3},
                                      {8, 32, 4, 2}, {4, 6, 2}, {4, 12, 3, 2}};
  for (std::int64_t more = dice.between(0, 2); more > 0; --more) {
    const Pattern pattern =
        patterns[static_cast<std::size_t>(dice.between(0, std::ssize(patterns) - 1))];
    std::erase(selector.native_patterns, pattern);
    selector.native_patterns.push_back(pattern);
  }
  const std::vector<MetadataCoding> codings{MetadataCoding::index, MetadataCoding::enumerated,
                                            MetadataCoding::bitmask};
  selector.metadata_coding = to_string(codings[static_cast<std::size_t>(dice.between(0, 2))]);
  selector.metadata_power_of_two_fields = dice.between(0, 1) == 0;
  selector.metadata_decode_bytes_per_clk = dice.one_of({1, 4, 64, field::kMostBytesPerClk});
  selector.lane_inputs = dice.one_of({1, 4, 8, field::kMostUnits, field::kMostUnits});
  selector.block_inputs = dice.one_of({1, 2, 8});
  selector.short_groups = dice.between(0, 1) == 0 ? kSkippedSlots : kPaddedSlots;
}

/// Keys of a machine and its kernels that most leave at their defaults.
inline void draw_rare_keys(MachineConfig& machine, Dice& dice) {
  draw_rare_keys(machine.accelerator.sm.operand_selector, dice);
  machine.accelerator.sm.shared_memory.has_fill_port = dice.between(0, 1) == 0;
  machine.accelerator.dram.tile_share = static_cast<double>(dice.one_of({100, 90, 50, 5})) / 100;
  machine.accelerator.l2_cache.kept_bytes = dice.one_of({0, 10000, 1 << 20});
  machine.power = random_power(dice);
  for (KernelConfig& kernel : machine.kernels) draw_rare_keys(kernel, dice);
  // Half of the machines have none; some that do hold a tile of 32x32 once, some twice.
  machine.accelerator.sm.tensor_memory_bytes = dice.one_of({0, 0, 5000, 20000});
  machine.accelerator.sm.operand_selector.selector_stages = dice.one_of({0, 0, 1, 3});
}

/// A machine of 1 to 6 SMs with tiny caches and starved or generous buses.
inline MachineConfig random_plain_machine(Dice& dice) {
  MachineConfig machine = tiny_machine();
  AcceleratorConfig& hardware = machine.accelerator;
  randomise(hardware, dice);
  hardware.num_sms = dice.between(1, 6);
  hardware.cta_scheduler = {dice.between(0, 200), dice.between(0, 50)};
  randomise_sm(hardware.sm, dice);
  const std::int64_t hop = dice.between(0, 40);
  hardware.memory_bus = {hop, dice.one_of({3, 32, 64}), dice.one_of({3, 32, 64})};
  const std::int64_t near = 2 * hop + dice.between(0, 50);
  hardware.l2_cache = {dice.one_of({1000, 20000, 1 << 20}), dice.one_of({5, 64, 500}),
                       dice.one_of({5, 64, 500}),           near,
                       near + dice.between(0, 100),         dice.one_of({256, 4096})};
  hardware.l2_cache.write_passes = static_cast<double>(near % 3) * 1.25;
  hardware.dram = {std::int64_t{1} << 30, dice.between(1, 8),    dice.one_of({3, 16, 200}),
                   dice.between(0, 200),  dice.one_of({32, 64}), dice.one_of({0, 300, 100000})};
  machine.split_k = {1, 2, 3};
  const std::int64_t stages = dice.between(1, 4);
  machine.kernels = {make_kernel("dense_big", false, 32, 32, 32, stages, 2, 2),
                     make_kernel("dense_small", false, 16, 16, 16, stages, 1, 1),
                     make_kernel("dense_wide", false, 16, 64, 32, stages, 1, 2),
                     make_kernel("sparse_big", true, 32, 32, 64, stages, 2, 2),
                     make_kernel("sparse_small", true, 16, 16, 32, stages, 1, 1)};
  for (KernelConfig& kernel : machine.kernels) {
    kernel.reads_c = dice.between(0, 2) == 0;
    kernel.max_ctas_per_sm = dice.between(0, 3);
  }
  return machine;
}

/// The same with all keys.
inline MachineConfig random_machine(Dice& dice) {
  MachineConfig machine = random_plain_machine(dice);
  draw_rare_keys(machine, dice);
  return machine;
}

/// Sizes around the tiles' edges, one to three batches, every type and some patterns.
inline GemmProblem random_problem(Dice& dice) {
  const auto extent = [&] {
    return dice.between(0, 1) == 0 ? dice.between(1, 150)
                                   : dice.one_of({1, 15, 16, 17, 31, 32, 33, 64, 65, 97, 128});
  };
  const std::vector<Pattern> patterns{kDense,        {2, 4},        {1, 2},       {1, 4}, {1, 8},
                                      {4, 8},        {4, 32},       {4, 8, 2},    {2, 6}, {3, 8},
                                      {8, 32, 4, 2}, outputs(2, 4), outputs(1, 4)};
  const auto& types = operand_data_types();
  const DataType type = types[static_cast<std::size_t>(dice.between(0, std::ssize(types) - 1))];
  const Pattern pattern =
      patterns[static_cast<std::size_t>(dice.between(0, std::ssize(patterns) - 1))];
  return make_problem(extent(), extent(), extent() * dice.one_of({1, 1, 4}), dice.between(1, 3),
                      type, pattern);
}

}  // namespace stcsim::test
