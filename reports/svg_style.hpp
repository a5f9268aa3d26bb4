#pragma once

#include <array>
#include <vector>

namespace stcsim {

/// Told apart by readers who do not see all colours (Okabe and Ito, 2008).
inline constexpr std::array<const char*, 6> kSeriesColours{"#0072b2", "#d55e00", "#009e73",
                                                           "#cc79a7", "#56b4e9", "#e69f00"};

/// Ticks of a logarithmic axis: 1, 2 and 5 times powers of ten between two values above 0; more of
/// them in a short range, fewer in a long one.
[[nodiscard]] std::vector<double> log_ticks(double low, double high);

}  // namespace stcsim
