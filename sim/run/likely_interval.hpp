#pragma once

#include <string_view>

namespace stcsim {

/// Where 95 % of measured values of a time or speedup lie, given how far validated ones are off
/// (sim/study/validated_errors.hpp); not known where both ends are 0.
struct LikelyInterval {
  double low = 0;
  double high = 0;
  /// The errors are those of other machines or types.
  bool is_assumed = false;
  /// Where 80 % lie; of single GEMMs alone.
  double low_80 = 0;
  double high_80 = 0;

  [[nodiscard]] bool is_known() const { return high > 0; }
  /// Of a speedup: "faster" or "slower" than dense where neither end prints as 1.00, "as dense"
  /// where both are within half a per cent of it, else "not told apart"; "" if it is not known.
  [[nodiscard]] std::string_view verdict() const {
    constexpr double kAbove = 1.005;  // what prints as 1.01, in three digits
    constexpr double kBelow = 0.9995;
    constexpr double kNearly = 0.995;
    if (!is_known()) return "";
    if (low > kAbove) return "faster";
    if (high < kBelow) return "slower";
    return low >= kNearly && high <= kAbove ? "as dense" : "not told apart";
  }
  friend bool operator==(const LikelyInterval&, const LikelyInterval&) = default;
};

}  // namespace stcsim
