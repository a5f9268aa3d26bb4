#pragma once

#include <cstdint>

namespace stcsim {

/// Of a launch of which only a part was simulated: where its cycles lie, and how large the part
/// was.
struct SampledPart {
  std::int64_t cycles_low = 0;
  std::int64_t cycles_high = 0;
  std::int64_t simulated_ctas = 0;
  std::int64_t ctas = 0;

  /// Of all CTAs.
  [[nodiscard]] double simulated_share() const {
    return static_cast<double>(simulated_ctas) / static_cast<double>(ctas);
  }
  friend bool operator==(const SampledPart&, const SampledPart&) = default;
};

}  // namespace stcsim
