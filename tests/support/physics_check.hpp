#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/data_type.hpp"
#include "models/accelerator/accelerator_config.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/gemm_run.hpp"

namespace stcsim::test {

/// What the ports of a machine carry, those of all its SMs together, bytes per clk.
struct Ports {
  std::int64_t shared_memory = 0;  // reads and writes share it
  std::int64_t fill = 0;
  std::int64_t bus_read = 0;
  std::int64_t bus_write = 0;
  std::int64_t l2_read = 0;
  std::int64_t l2_write = 0;
  std::int64_t dram = 0;       // reads and writes share it
  bool has_fill_port = false;  // what comes into shared memory has a port of its own
};

inline Ports ports_of(const AcceleratorConfig& hardware) {
  const std::int64_t sms = hardware.num_sms;
  return {sms * hardware.sm.shared_memory.port_bytes_per_clk(),
          sms * hardware.sm.shared_memory.fill_bytes_per_clk,
          sms * hardware.memory_bus.sm_read_bytes_per_clk,
          sms * hardware.memory_bus.sm_write_bytes_per_clk,
          hardware.l2_cache.read_bytes_per_clk,
          hardware.l2_cache.write_bytes_per_clk,
          hardware.dram.bytes_per_clk,
          hardware.sm.shared_memory.has_fill_port};
}

/// In `cycles` no port has carried more than it can. Of what the L2 cache has sent, bytes
/// `into_registers` came through no port of shared memory.
inline void expect_ports_carry(const Ports& ports, std::int64_t cycles,
                               const std::vector<Counter>& counters,
                               std::int64_t into_registers = 0) {
  const auto moved = [&](const char* name) { return count_of(counters, name); };
  const std::int64_t into = ports.has_fill_port ? ports.fill : 0;
  EXPECT_GE(ports.shared_memory * cycles, moved("shared_memory_read_bytes"));
  EXPECT_GE((ports.shared_memory + into) * cycles,
            moved("shared_memory_read_bytes") + moved("shared_memory_write_bytes"));
  EXPECT_GE(ports.fill * cycles, moved("l2_read_bytes") - into_registers);
  EXPECT_GE(ports.bus_read * cycles, moved("l2_read_bytes"));
  EXPECT_GE(ports.bus_write * cycles, moved("l2_write_bytes"));
  EXPECT_GE(ports.l2_read * cycles, moved("l2_read_bytes"));
  EXPECT_GE(ports.l2_write * cycles, moved("l2_write_bytes"));
  EXPECT_GE(ports.dram * cycles, moved("dram_read_bytes") + moved("dram_write_bytes"));
  EXPECT_LE(moved("l2_hit_bytes"), moved("l2_read_bytes"));
  EXPECT_LE(moved("metadata_bytes"), moved("l2_read_bytes"));
}

/// Bytes a GEMM moves beside metadata, counted from its sizes and from its kernel's tiles only.
struct GemmBytes {
  std::int64_t loaded = 0;        // by all CTAs
  std::int64_t loaded_b = 0;      // of these, of B
  std::int64_t partial_sums = 0;  // of these, by a reduction
  std::int64_t stored = 0;        // by all CTAs
  std::int64_t dram_read = 0;     // at least
  std::int64_t dram_written = 0;  // at least
};

/// Without a footprint: every row is distinct memory.
/// @param in_pairs  two CTAs load half of B each, of an odd number of columns one more
inline GemmBytes bytes_of(const GemmProblem& problem, const GemmRun& run,
                          std::int64_t l2_capacity_bytes, bool in_pairs = false) {
  const KernelReport& kernel = run.result.kernel;
  const Pattern pattern = run.hardware_pattern.of_a();
  const auto parts = [](std::int64_t whole, std::int64_t part) {
    return (whole + part - 1) / part;
  };
  std::int64_t a = 0;  // bytes of what of A lies in memory; every k-step starts at a byte
  std::int64_t b = 0;
  std::int64_t loaded_b = 0;
  for (std::int64_t from = 0; from < problem.k; from += kernel.tile_k) {
    const std::int64_t length = std::min(kernel.tile_k, problem.k - from);
    const std::int64_t kept = parts(length, pattern.m) * pattern.n;
    const std::int64_t scales = problem.dtype == DataType::nvfp4 ? parts(kept, 16) : 0;
    const std::int64_t b_bytes = bytes_of(problem.dtype, length) + scales;
    a += problem.m * (bytes_of(problem.dtype, kept) + scales);
    b += problem.n * b_bytes;
    loaded_b += (in_pairs ? parts(problem.n, 2) : problem.n) * b_bytes;
  }
  const Pattern outputs = run.hardware_pattern.of_outputs ? run.hardware_pattern : kDense;
  const std::int64_t rows = problem.m * problem.batch_count;
  const std::int64_t c = rows * problem.n * outputs.n / outputs.m;
  GemmBytes bytes;
  bytes.loaded_b = problem.batch_count * loaded_b * parts(problem.m, kernel.tile_m);
  bytes.loaded = problem.batch_count * a * parts(problem.n, kernel.tile_n) + bytes.loaded_b;
  bytes.dram_read = problem.batch_count * (a + b);
  bytes.stored = bytes.dram_written = bytes_of(output_of(problem.dtype), c);
  if (kernel.split_k == 1) return bytes;
  // Of outputs, whole groups of a row are added up.
  const std::int64_t added = rows * parts(problem.n, outputs.m) * outputs.n * kernel.split_k;
  const std::int64_t sums = bytes_of(accumulator_of(problem.dtype), added);
  const std::int64_t written = bytes_of(accumulator_of(problem.dtype), c * kernel.split_k);
  bytes.stored += written;
  bytes.loaded += sums;
  bytes.partial_sums = sums;
  if (sums > l2_capacity_bytes) {
    bytes.dram_read += sums;
    bytes.dram_written += written;
  }
  return bytes;
}

inline const KernelConfig& kernel_of(const MachineConfig& machine, const LaunchResult& result) {
  for (const KernelConfig& kernel : machine.kernels) {
    if (kernel.name == result.kernel.name) return kernel;
  }
  throw std::logic_error("no kernel " + result.kernel.name);
}

/// Bytes that the L2 cache has sent past shared memory.
inline std::int64_t sent_into_registers(const MachineConfig& machine, const LaunchResult& result) {
  const KernelConfig& kernel = kernel_of(machine, result);
  const bool has_any = kernel.metadata_in_registers || !kernel.sparse;  // masks of outputs
  return has_any ? result.count("metadata_bytes") : 0;
}

/// What the L2 cache has sent beside metadata: every byte once for the CTAs of a cluster. A
/// launch's sum is rounded up, and so is that of its metadata.
inline void expect_loaded(const MachineConfig& machine, const GemmRun& run,
                          const GemmBytes& bytes) {
  const LaunchResult& result = run.result;
  const std::int64_t sent = result.count("l2_read_bytes") - result.count("metadata_bytes");
  const KernelConfig& kernel = kernel_of(machine, result);
  const double of_a = static_cast<double>(bytes.loaded - bytes.partial_sums - bytes.loaded_b) /
                      static_cast<double>(kernel.multicast_a);
  const double of_b = static_cast<double>(bytes.loaded_b) / static_cast<double>(kernel.multicast_b);
  const auto once = static_cast<std::int64_t>(std::ceil(of_a + of_b - 1e-6));
  EXPECT_LE(sent, once + bytes.partial_sums);
  EXPECT_GE(sent,
            once + bytes.partial_sums - (kernel.multicast_a * kernel.multicast_b > 1 ? 1 : 0));
}

/// The GEMM has moved what it has to, multiplied what it has to, and took the time for both.
inline void expect_within_physics(const MachineConfig& machine, const GemmProblem& problem,
                                  const GemmRun& run) {
  const LaunchResult& result = run.result;
  const auto moved = [&](const char* counter) { return result.count(counter); };
  const GemmBytes bytes = bytes_of(problem, run, machine.accelerator.l2_cache.capacity_bytes,
                                   kernel_of(machine, result).cta_pair);
  expect_loaded(machine, run, bytes);
  EXPECT_GE(moved("l2_write_bytes"), bytes.stored);
  EXPECT_GE(moved("dram_read_bytes"), bytes.dram_read);
  EXPECT_GE(moved("dram_write_bytes"), bytes.dram_written);
  EXPECT_GE(moved("shared_memory_write_bytes"), bytes.loaded);
  expect_ports_carry(ports_of(machine.accelerator), result.cycles, result.counters,
                     sent_into_registers(machine, result));
  const Pattern pattern = run.hardware_pattern;
  EXPECT_GE(result.multiplier_macs * pattern.m, problem.macs() * pattern.n);
  EXPECT_GE(result.peak_macs, result.multiplier_macs);
}

/// The same of a stream kernel.
inline void expect_within_physics(const MachineConfig& machine, const StreamWork& work,
                                  const LaunchResult& result) {
  const auto moved = [&](const char* counter) { return result.count(counter); };
  EXPECT_GE(moved("l2_read_bytes"), work.read_bytes);
  EXPECT_GE(moved("l2_write_bytes"), work.write_bytes);
  EXPECT_GE(moved("dram_read_bytes"), work.read_bytes);
  EXPECT_GE(moved("dram_write_bytes"), work.write_bytes);
  expect_ports_carry(ports_of(machine.accelerator), result.cycles, result.counters);
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  const std::int64_t lanes =
      machine.accelerator.num_sms * sm.sub_cores * sm.vector_lanes_per_sub_core;
  EXPECT_GE(result.cycles * lanes, work.vector_ops);
}

}  // namespace stcsim::test
