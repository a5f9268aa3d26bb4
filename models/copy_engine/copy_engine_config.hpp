#pragma once

#include <cstdint>

namespace stcsim {

/// Per SM: asynchronous copies from global to shared memory (cp.async, TMA).
struct CopyEngineConfig {
  /// Bytes of requests generated per clk.
  std::int64_t issue_bytes_per_clk = 128;

  friend bool operator==(const CopyEngineConfig&, const CopyEngineConfig&) = default;
};

}  // namespace stcsim
