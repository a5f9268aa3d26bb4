#pragma once

#include <cstdint>

namespace stcsim {

/// Off-chip memory behind the L2 cache.
struct DramConfig {
  std::int64_t capacity_bytes = 0;
  /// A request's bursts go round the channels, each of which has an equal share of the bandwidth.
  std::int64_t channels = 0;
  /// Sustained bandwidth of all channels, bytes per clk of the machine's clock.
  std::int64_t bytes_per_clk = 0;
  /// Added to an L2 access that misses, cycles, without queueing.
  std::int64_t latency_cycles = 0;
  /// Smallest transfer; requests are rounded up to it.
  std::int64_t burst_bytes = 64;
  /// Writes give way to reads while no more than so many bytes of them wait (as dirty lines in the
  /// cache); 0 = they are served in order of arrival.
  std::int64_t write_queue_bytes = 0;

  friend bool operator==(const DramConfig&, const DramConfig&) = default;
};

}  // namespace stcsim
