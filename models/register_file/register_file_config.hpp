#pragma once

#include <cstdint>

namespace stcsim {

/// Per sub-core: moves operand fragments from the register file into the tensor core.
struct OperandFetchConfig {
  /// Bytes of A, B and metadata per clk that reach the tensor core from registers; 0 if they
  /// come straight from shared memory (wgmma), whose port then is the only limit.
  std::int64_t register_bytes_per_clk = 0;
  /// Fragment buffers a warp prefetches into (2 = double buffering).
  std::int64_t fragment_buffers = 2;

  friend bool operator==(const OperandFetchConfig&, const OperandFetchConfig&) = default;
};

}  // namespace stcsim
