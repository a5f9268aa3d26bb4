#pragma once

#include <cstdint>
#include <string>

#include "sim/config/machine.hpp"

namespace stcsim::test {

inline void add_instruction(MachineConfig& machine, DataType dtype, Pattern pattern,
                            std::int64_t k) {
  machine.accelerator.sm.tensor_core.instructions.push_back({dtype, pattern, 16, 8, k, 25, 0});
}

inline KernelConfig make_kernel(const std::string& name, bool sparse, std::int64_t tile_m,
                                std::int64_t tile_n, std::int64_t tile_k, std::int64_t stages,
                                std::int64_t warps_m, std::int64_t warps_n) {
  return {name, sparse, tile_m, tile_n, tile_k, stages, warps_m, warps_n, 1};
}

/// One SM with one sub-core, round numbers, both L2 partitions equally far. It multiplies every
/// operand type, dense and 2:4: a 16x8 instruction of 32 bytes of kept A per row every 8 cycles,
/// result after 25. Its kernels run one warp with one instruction per k-step: "dense", "sparse"
/// with two stages, "dense_s1" with one.
inline MachineConfig tiny_machine() {
  MachineConfig machine;
  machine.name = "tiny";
  machine.clock_mhz = 1000;
  machine.split_k = {1};
  AcceleratorConfig& hardware = machine.accelerator;
  hardware.num_sms = 1;
  hardware.cta_scheduler = {100, 10};
  StreamingMultiprocessorConfig& sm = hardware.sm;
  sm.sub_cores = 1;
  sm.max_ctas = 4;
  sm.max_warps = 32;
  sm.vector_lanes_per_sub_core = 16;
  for (const DataType type : operand_data_types()) {
    const std::int64_t k = elements_in(type, 32);
    sm.tensor_core.multipliers.push_back({type, 16 * k});
    add_instruction(machine, type, kDense, k);
    add_instruction(machine, type, {2, 4}, 2 * k);
  }
  sm.operand_selector = {{{2, 4}}, 64, 0};
  sm.operand_fetch = {192, 2};
  sm.shared_memory = {65536, 64512, 1024, 32, 4, 128, 20, 0};
  sm.copy_engine = {128};
  sm.epilogue.setup_cycles = 30;
  hardware.memory_bus = {40, 64, 64};
  hardware.l2_cache = {1 << 20, 256, 256, 130, 130, 4096};
  hardware.dram = {std::int64_t{1} << 30, 1, 64, 200, 64};
  machine.kernels = {make_kernel("dense", false, 16, 8, 16, 2, 1, 1),
                     make_kernel("dense_s1", false, 16, 8, 16, 1, 1, 1),
                     make_kernel("sparse", true, 16, 8, 32, 2, 1, 1)};
  return machine;
}

/// What `machine` asks for is on its way for no time, and results are there when the instruction's
/// interval ends.
inline void remove_latencies(MachineConfig& machine) {
  for (MmaInstruction& one : machine.accelerator.sm.tensor_core.instructions) {
    one.latency_cycles = 8;
  }
  machine.accelerator.memory_bus.hop_cycles = 0;
  machine.accelerator.l2_cache.near_hit_cycles = machine.accelerator.l2_cache.far_hit_cycles = 1;
  machine.accelerator.dram.latency_cycles = 0;
  machine.accelerator.sm.shared_memory.latency_cycles = 1;
}

}  // namespace stcsim::test
