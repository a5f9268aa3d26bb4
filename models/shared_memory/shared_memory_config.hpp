#pragma once

#include <cstdint>

namespace stcsim {

/// Per SM. One port: banks * bank_bytes per clk, reads and writes share it.
struct SharedMemoryConfig {
  std::int64_t capacity_bytes = 0;
  /// Largest allocation of one CTA.
  std::int64_t max_bytes_per_cta = 0;
  /// Taken by the system for every resident CTA.
  std::int64_t reserved_bytes_per_cta = 0;
  std::int64_t banks = 32;
  std::int64_t bank_bytes = 4;
  /// Of a copy from L2, the bytes that one cycle of the port takes in: what arrives in a cycle is
  /// written in that cycle, however wide the port is.
  std::int64_t fill_bytes_per_clk = 128;
  /// Request to data, cycles, without queueing.
  std::int64_t latency_cycles = 0;
  /// Barrier among the warps of a CTA at every k-step, cycles.
  std::int64_t barrier_cycles = 0;

  [[nodiscard]] std::int64_t port_bytes_per_clk() const { return banks * bank_bytes; }
  friend bool operator==(const SharedMemoryConfig&, const SharedMemoryConfig&) = default;
};

}  // namespace stcsim
