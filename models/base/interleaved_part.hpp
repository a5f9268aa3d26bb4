#pragma once

#include <cstdint>

#include "models/base/time.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {

/// One of the equal parts of a memory (slices of a cache, channels of DRAM). Addresses go round the
/// parts piece by piece, so a request gives each the same to do, but for a piece; each has its
/// share of the bandwidth.
class InterleavedPart {
 public:
  static constexpr Hooks kHooks{};

  /// @param parts  that there are
  /// @param piece_bytes  line, burst
  /// @param bytes_per_clk  of all parts together
  InterleavedPart(std::int64_t parts, std::int64_t piece_bytes, std::int64_t bytes_per_clk)
      : round_bytes_(parts * piece_bytes), bytes_per_clk_(bytes_per_clk) {}

  /// What the part with most pieces of a request takes for them.
  [[nodiscard]] Cycles busiest(std::int64_t bytes) const {
    const std::int64_t rounds = (bytes + round_bytes_ - 1) / round_bytes_;
    return cycles_for(rounds * round_bytes_, bytes_per_clk_);
  }

 private:
  std::int64_t round_bytes_;
  std::int64_t bytes_per_clk_;
};

}  // namespace stcsim
