#pragma once

#include <cstdint>

#include "common/config_field.hpp"

namespace stcsim {

/// Per sub-core: moves operands between the register file and the tensor core.
struct OperandFetchConfig {
  /// Bytes of A, B and metadata per clk that reach the tensor core from registers; 0 if they
  /// come straight from shared memory (wgmma), whose port then is the only limit.
  std::int64_t register_bytes_per_clk = 0;
  /// Fragment buffers a warp prefetches into (2 = double buffering).
  std::int64_t fragment_buffers = 2;
  /// Bytes of accumulators per clk, those read (C) and those written (D) together.
  std::int64_t accumulator_bytes_per_clk = field::kMostBytesPerClk;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::bytes_per_clk("register_bytes_per_clk",
                                       "A, B and metadata; 0 if operands come straight from shared "
                                       "memory")
                      .from(0, field::kMostBytesPerClk),
                  self.register_bytes_per_clk);
    visitor.field(field::bytes_per_clk("accumulator_bytes_per_clk",
                                       "accumulators, those read and those written together")
                      .optional("`unlimited`"),
                  self.accumulator_bytes_per_clk);
    visitor.field(
        field::count("fragment_buffers",
                     "buffers a warp prefetches into; a kernel has fewer where "
                     "`max_registers_per_thread` do not hold them beside its accumulators")
            .from(1, 64)
            .optional(),
        self.fragment_buffers);
  }

  friend bool operator==(const OperandFetchConfig&, const OperandFetchConfig&) = default;
};

}  // namespace stcsim
