#pragma once

#include <cstdint>

#include "models/base/time.hpp"

namespace stcsim {

/// Off-chip memory behind the L2 cache.
struct DramConfig {
  std::int64_t capacity_bytes = 0;
  /// A request's bursts go round the channels, each of which has an equal share of the bandwidth.
  std::int64_t channels = 0;
  /// Sustained bandwidth of all channels, bytes per clk of the machine's clock.
  std::int64_t bytes_per_clk = 0;
  /// From a request to its first burst, cycles, without queueing.
  std::int64_t latency_cycles = 0;
  /// Smallest transfer; requests are rounded up to it. It comes from one channel and is handed on
  /// when it is there as a whole.
  std::int64_t burst_bytes = 64;
  /// Writes give way to reads while no more than so many bytes of them wait (as dirty lines in the
  /// cache); 0 = they are served in order of arrival.
  std::int64_t write_queue_bytes = 0;

  /// What one burst takes on its channel.
  [[nodiscard]] Cycles burst_cycles() const {
    return cycles_for(burst_bytes * channels, bytes_per_clk);
  }
  /// Added to an L2 access that misses, without queueing.
  [[nodiscard]] Cycles access_cycles() const { return Cycles(latency_cycles) + burst_cycles(); }

  friend bool operator==(const DramConfig&, const DramConfig&) = default;
};

}  // namespace stcsim
