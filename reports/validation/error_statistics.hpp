#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace stcsim {

/// Simulated / measured - 1; nothing where either is missing.
[[nodiscard]] std::optional<double> relative_error(const std::optional<double>& simulated,
                                                   const std::optional<double>& measured);

/// Of the errors of several rows.
struct ErrorSummary {
  std::int64_t rows = 0;
  /// Mean of the absolute errors, and of the signed ones.
  double mean_absolute = 0;
  double bias = 0;
  /// Pearson's r of measured against predicted; nothing for fewer than two different values.
  std::optional<double> correlation;
};

/// @param points pairs of a measured value, above 0, and what was predicted for it
[[nodiscard]] ErrorSummary error_statistics(const std::vector<std::pair<double, double>>& points);

}  // namespace stcsim
