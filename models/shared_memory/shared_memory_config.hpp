#pragma once

#include <algorithm>
#include <cstdint>

#include "common/config_field.hpp"
#include "models/base/time.hpp"

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
  /// Bytes of a copy from L2 that one cycle of the port takes in: what arrives in a cycle is
  /// written in that cycle, however wide the port is.
  std::int64_t fill_bytes_per_clk = 128;
  /// Request to data, cycles, without queueing.
  std::int64_t latency_cycles = 0;
  /// Barrier among the warps of a CTA at every k-step, cycles.
  std::int64_t barrier_cycles = 0;
  /// Copies from L2 have a port of their own and do not wait for reads, nor reads for them.
  bool has_fill_port = false;

  [[nodiscard]] std::int64_t port_bytes_per_clk() const { return banks * bank_bytes; }
  /// Bytes the port takes in per clk of what arrives.
  [[nodiscard]] std::int64_t fill_width() const {
    return std::min(fill_bytes_per_clk, port_bytes_per_clk());
  }
  /// Cycles the port takes for a read.
  [[nodiscard]] Cycles read_cycles(std::int64_t bytes) const {
    return std::max(cycles_for(bytes, port_bytes_per_clk()), kOneCycle);
  }
  /// From the read's begin to its data.
  [[nodiscard]] Cycles answer_cycles(std::int64_t bytes) const {
    return std::max(read_cycles(bytes) + Cycles(latency_cycles) - kOneCycle, kOneCycle);
  }
  static void visit_fields(auto& self, auto& visitor) {
    using field::bytes;
    using field::cycles;
    visitor.field(bytes("capacity_bytes", "of all resident CTAs").or_unlimited(),
                  self.capacity_bytes);
    visitor.field(bytes("reserved_bytes_per_cta", "taken by the system for every resident CTA")
                      .from(0, field::kMostBytes)
                      .more_is(Effect::slower),
                  self.reserved_bytes_per_cta);
    visitor.field(bytes("max_bytes_per_cta",
                        "no more than its default. One that a file inherits counts for the "
                        "capacity that it was stated with")
                      .or_unlimited()
                      .optional("`capacity_bytes` - `reserved_bytes_per_cta`"),
                  self.max_bytes_per_cta, self.capacity_bytes - self.reserved_bytes_per_cta);
    visitor.field(
        field::count("banks", "the port is `banks` x `bank_bytes` wide").or_unlimited().optional(),
        self.banks);
    visitor.field(bytes("bank_bytes", "of one bank, per clk")
                      .from(1, field::kMostUnits)
                      .or_unlimited()
                      .optional(),
                  self.bank_bytes);
    visitor.field(field::of("fill_bytes_per_clk", "bytes/clk",
                            "of a copy from L2, what one cycle of the port takes in; at most the "
                            "port's width")
                      .from(1, field::kMostUnits * field::kMostUnits)
                      .more_is(Effect::faster)
                      .optional("the port's width"),
                  self.fill_bytes_per_clk, self.port_bytes_per_clk());
    visitor.field(field::flag("has_fill_port",
                              "copies from L2 go through a port of their own, beside that of reads "
                              "and output")
                      .omitted(""),
                  self.has_fill_port, false);
    visitor.field(cycles("latency_cycles", "request to data, without queueing"),
                  self.latency_cycles);
    visitor.field(cycles("barrier_cycles", "barrier among a CTA's warps at every k-step"),
                  self.barrier_cycles);
  }

  friend bool operator==(const SharedMemoryConfig&, const SharedMemoryConfig&) = default;
};

}  // namespace stcsim
