#pragma once

#include <cstdint>

#include "common/config_field.hpp"

namespace stcsim {

/// Per SM: moves a CTA's accumulators through shared memory (to coalesce rows) to global memory.
struct EpilogueConfig {
  /// Arithmetic and addressing before the first store of a CTA, cycles.
  std::int64_t setup_cycles = 0;
  /// Elements of C that the SM's warps convert, address and move in a clk.
  std::int64_t elements_per_clk = field::kMostBytesPerClk;
  /// Accumulators that a unit before the warps prunes in a clk; they convert, address and move what
  /// it kept. 0: there is none, vector lanes compare.
  std::int64_t compress_elements_per_clk = 0;
  /// Bytes of C handed to the bus at a time.
  std::int64_t store_chunk_bytes = 8192;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::cycles("setup_cycles", "before the first store of a CTA"),
                  self.setup_cycles);
    visitor.field(field::of("elements_per_clk", "elements/clk",
                            "elements of C that an SM's warps convert, address and move in a clk")
                      .from(1, field::kMostBytesPerClk)
                      .more_is(Effect::faster)
                      .or_unlimited()
                      .optional(),
                  self.elements_per_clk);
    visitor.field(field::of("compress_elements_per_clk", "elements/clk",
                            "accumulators that a unit before the warps prunes to n:m in a clk "
                            "where the product writes them pruned; 0: vector lanes compare")
                      .from(0, field::kMostBytesPerClk)
                      .more_is(Effect::either)
                      .omitted("0"),
                  self.compress_elements_per_clk, 0);
    visitor.field(field::bytes("store_chunk_bytes", "bytes of C handed to the bus at a time")
                      .more_is(Effect::either)
                      .or_unlimited()
                      .optional(),
                  self.store_chunk_bytes);
  }

  friend bool operator==(const EpilogueConfig&, const EpilogueConfig&) = default;
};

}  // namespace stcsim
