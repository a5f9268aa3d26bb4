#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/config_field.hpp"
#include "models/base/beat_server.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// Off-chip memory behind the L2 cache.
struct DramConfig {
  std::int64_t capacity_bytes = 0;
  /// A request's bursts go round the channels, each of which has an equal share of the bandwidth.
  std::int64_t channels = 1;
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
  /// Share of the bandwidth that is left where rows of tiles are read, which lie apart in memory
  /// (GEMMs).
  double tile_share = 1;

  /// The bandwidth of a launch that reads tiles, or streams.
  [[nodiscard]] std::int64_t bytes_per_clk_of(bool reads_tiles) const {
    const double share = reads_tiles ? tile_share : 1.0;
    const double bytes = static_cast<double>(bytes_per_clk) * share;
    return std::max<std::int64_t>(1, std::llround(bytes));
  }
  [[nodiscard]] InterleavedPart channel() const { return {channels, burst_bytes, bytes_per_clk}; }
  /// Bytes that move for so many.
  [[nodiscard]] std::int64_t whole_bursts(std::int64_t bytes) const {
    return cycles_for(bytes, burst_bytes).count() * burst_bytes;
  }
  /// Cycles of one burst on its channel.
  [[nodiscard]] Cycles burst_cycles() const { return channel().busiest(burst_bytes); }
  /// Added to an L2 access that misses, without queueing.
  [[nodiscard]] Cycles access_cycles() const { return Cycles(latency_cycles) + burst_cycles(); }

  static void visit_fields(auto& self, auto& visitor) {
    using field::bytes;
    visitor.field(
        bytes(
            "capacity_bytes",
            "a GEMM's operands and result have to fit, or it is refused; of a training step it is "
            "said whether it fits")
            .or_unlimited(),
        self.capacity_bytes);
    visitor.field(
        field::count("channels", "a burst comes from one of them, with its share of the bandwidth")
            .more_is(Effect::either)
            .optional(),
        self.channels);
    visitor.field(
        field::bytes_per_clk("bytes_per_clk", "sustained bandwidth of all channels together"),
        self.bytes_per_clk);
    visitor.field(field::of("tile_share", "share, a number",
                            "of that bandwidth where rows of tiles are read, which lie apart in "
                            "memory: GEMMs get so much, stream kernels all")
                      .from(0, 1)
                      .more_is(Effect::faster)
                      .omitted("1"),
                  self.tile_share, 1.0);
    visitor.field(
        field::cycles(
            "latency_cycles",
            "from a request to its first burst, without queueing; an L2 access that misses takes "
            "this and the burst longer"),
        self.latency_cycles);
    visitor.field(bytes("burst_bytes", "smallest transfer").more_is(Effect::slower).optional(),
                  self.burst_bytes);
    visitor.field(
        bytes("write_queue_bytes",
              "writes give way to reads while no more than so many bytes of them wait "
              "(dirty lines in the cache); as many as were found may be left to the next kernel")
            .from(0, field::kMostBytes)
            .or_unlimited()
            .optional(),
        self.write_queue_bytes);
  }

  friend bool operator==(const DramConfig&, const DramConfig&) = default;
};

}  // namespace stcsim
