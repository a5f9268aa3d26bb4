#pragma once

#include <cstdint>

namespace stcsim {

/// Crossbar between the SMs and the L2 cache.
struct MemoryBusConfig {
  /// One way, SM to L2 or back, cycles. Part of the L2 latencies below, not added to them.
  std::int64_t hop_cycles = 0;
  /// Port of one SM, bytes per clk, each direction.
  std::int64_t sm_read_bytes_per_clk = 64;
  std::int64_t sm_write_bytes_per_clk = 64;

  friend bool operator==(const MemoryBusConfig&, const MemoryBusConfig&) = default;
};

}  // namespace stcsim
