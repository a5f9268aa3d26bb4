#pragma once

#include <cstdint>

namespace stcsim {

/// Per SM: moves a CTA's accumulators through shared memory (to coalesce rows) to global memory.
struct EpilogueConfig {
  /// Arithmetic and addressing before the first store of a CTA, cycles.
  std::int64_t setup_cycles = 0;
  /// Bytes of C handed to the bus at a time.
  std::int64_t store_chunk_bytes = 8192;

  friend bool operator==(const EpilogueConfig&, const EpilogueConfig&) = default;
};

}  // namespace stcsim
