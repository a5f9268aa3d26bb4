#pragma once

#include <cstdint>

namespace stcsim {

/// The L2 cache, shared by all SMs. Two partitions: an SM reaches one (near) faster than the other
/// (far); addresses are interleaved over both.
struct L2CacheConfig {
  std::int64_t capacity_bytes = 0;
  /// All slices together, bytes per clk.
  std::int64_t read_bytes_per_clk = 0;
  std::int64_t write_bytes_per_clk = 0;
  /// Load-to-use of a hit as an SM sees it, cycles, both bus hops included.
  std::int64_t near_hit_cycles = 0;
  std::int64_t far_hit_cycles = 0;
  /// Addresses alternate between the partitions at this granularity.
  std::int64_t interleave_bytes = 4096;

  friend bool operator==(const L2CacheConfig&, const L2CacheConfig&) = default;
};

}  // namespace stcsim
