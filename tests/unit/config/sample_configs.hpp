#pragma once

#include <string>

namespace stcsim {

/// A small machine, network and scheme without an error in them; tests put one in.
inline const std::string kSampleMachine = R"(name: tiny
description: A machine of two SMs
clock_mhz: 1410.5
accelerator:
  num_sms: 2
  cta_scheduler: {launch_cycles: 100, cta_setup_cycles: 30}
  sm:
    sub_cores: 2
    max_ctas: 16
    max_warps: 32
    registers: 32768
    max_registers_per_thread: 128
    vector_lanes_per_sub_core: 8
    tensor_core:
      multipliers:
        - {dtype: fp16, fma_per_clk: 256}
        - {dtype: int8, fma_per_clk: 512}
      instructions:
        - {dtype: fp16, m: 16, n: 8, k: 16, latency_cycles: 25, interval_cycles: 8}
        - {dtype: int8, m: 16, n: 8, k: 32, latency_cycles: 26}
        - {dtype: fp16, pattern: "2:4", m: 16, n: 8, k: 32, latency_cycles: 27, interval_cycles: 16}
      same_warp_bubble_cycles: 1
      same_warp_bubble_fp16_cycles: 4.25
    operand_selector: {native_patterns: ["2:4", "1:8"], b_bytes_per_clk: 32, metadata_decode_cycles: 6}
    operand_fetch: {register_bytes_per_clk: 192, fragment_buffers: 3}
    shared_memory:
      capacity_bytes: 66560
      max_bytes_per_cta: 65536
      reserved_bytes_per_cta: 1024
      banks: 16
      bank_bytes: 8
      latency_cycles: 29
      barrier_cycles: 20
    copy_engine: {issue_bytes_per_clk: 64}
    epilogue: {setup_cycles: 99, elements_per_clk: 7, store_chunk_bytes: 4096}
  memory_bus: {hop_cycles: 80, sm_read_bytes_per_clk: 48, sm_write_bytes_per_clk: 40}
  l2_cache:
    capacity_bytes: 1000000
    read_bytes_per_clk: 200
    write_bytes_per_clk: 150
    near_hit_cycles: 208
    far_hit_cycles: 357
    interleave_bytes: 2048
  dram: {capacity_bytes: 4000000000, channels: 4, bytes_per_clk: 100, latency_cycles: 267, burst_bytes: 32, write_queue_bytes: 5000}
split_k: [1, 2, 4]
kernels:
  - {name: dense, tile: [64, 64, 32], stages: 4, warps: [2, 1]}
  - {name: sparse, sparse: true, tile: [64, 64, 64], stages: 3, warps: [2, 2], b_shared_by_warps: 2}
)";

inline const std::string kSampleNetwork = R"(name: net
batch: 4
layers:
  - {name: fc, type: linear, in_features: 64, out_features: 32}
)";

inline const std::string kSampleScheme = R"(name: half
description: Weights 2:4 in forward and dgrad
forward: {tensor: weight, axis: c_in, pattern: "2:4"}
dgrad: {tensor: weight, axis: c_out, pattern: "2:4"}
)";

}  // namespace stcsim
