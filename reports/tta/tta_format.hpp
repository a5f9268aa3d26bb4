#pragma once

#include <string>

#include "curves/statistics.hpp"

namespace stcsim {

/// "9.31 h", "28.4 min", "12.1 s": three significant digits.
[[nodiscard]] std::string format_hours(double hours);

/// "16.1..21.8 min"
[[nodiscard]] std::string format_hours_range(const curves::Interval& hours);

/// Epochs, steps or samples: four significant digits, 2.48 M.
[[nodiscard]] std::string format_training(double amount);

/// "they differ", "cannot be told apart", or "too few runs" to ever differ.
[[nodiscard]] std::string format_apart(const curves::Difference& difference);

}  // namespace stcsim
