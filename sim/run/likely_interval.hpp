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
  /// Of a speedup: "faster" or "slower" than dense where the interval excludes 1, "as dense" where
  /// it is 1, else "not told apart"; "" if it is not known.
  [[nodiscard]] std::string_view verdict() const {
    if (!is_known()) return "";
    if (low > 1) return "faster";
    if (high < 1) return "slower";
    return low == high ? "as dense" : "not told apart";
  }
  friend bool operator==(const LikelyInterval&, const LikelyInterval&) = default;
};

}  // namespace stcsim
