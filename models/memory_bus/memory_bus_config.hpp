#pragma once

#include <cstdint>

#include "common/config_field.hpp"

namespace stcsim {

/// Crossbar between the SMs and the L2 cache.
struct MemoryBusConfig {
  /// One way, SM to L2 or back, cycles. Part of the L2 latencies below, not added to them.
  std::int64_t hop_cycles = 0;
  /// Port of one SM, bytes per clk, each direction.
  std::int64_t sm_read_bytes_per_clk = 64;
  std::int64_t sm_write_bytes_per_clk = 64;
  /// To all SMs together, bytes per clk; what multicast delivers counts for each of them.
  std::int64_t read_bytes_per_clk = field::kMostBytesPerClk;

  static void visit_fields(auto& self, auto& visitor) {
    using field::bytes_per_clk;
    visitor.field(field::cycles("hop_cycles",
                                "one way; part of the L2 hit latencies, not added to them; what a "
                                "store takes to the cache")
                      .more_is(Effect::either),
                  self.hop_cycles);
    visitor.field(bytes_per_clk("sm_read_bytes_per_clk", "port of one SM, towards it").optional(),
                  self.sm_read_bytes_per_clk);
    visitor.field(bytes_per_clk("sm_write_bytes_per_clk", "port of one SM, from it").optional(),
                  self.sm_write_bytes_per_clk);
    visitor.field(bytes_per_clk("read_bytes_per_clk",
                                "to all SMs, in equal shares for those that run CTAs; what "
                                "multicast delivers counts for each")
                      .optional(),
                  self.read_bytes_per_clk);
  }

  friend bool operator==(const MemoryBusConfig&, const MemoryBusConfig&) = default;
};

}  // namespace stcsim
