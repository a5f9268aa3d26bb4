#pragma once

#include <algorithm>
#include <cstdint>

#include "common/config_field.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// Per SM: asynchronous copies from global to shared memory (cp.async, TMA).
struct CopyEngineConfig {
  /// Bytes of requests generated per clk, by accesses of 16 bytes; narrower ones get as much less.
  std::int64_t issue_bytes_per_clk = 128;

  /// Cycles that requests of so many bytes take (KernelLaunch::issued_bytes).
  [[nodiscard]] Cycles issue_cycles(std::int64_t bytes) const {
    return std::max(cycles_for(bytes, issue_bytes_per_clk), kOneCycle);
  }

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(
        field::bytes_per_clk("issue_bytes_per_clk",
                             "requests from global to shared memory generated per clk, by "
                             "accesses of 16 bytes; rows whose alignment allows only "
                             "narrower ones get as much less")
            .optional(),
        self.issue_bytes_per_clk);
  }

  friend bool operator==(const CopyEngineConfig&, const CopyEngineConfig&) = default;
};

}  // namespace stcsim
