#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace stcsim {

/// Simulated / measured - 1; nothing where either is missing.
[[nodiscard]] std::optional<double> relative_error(const std::optional<double>& simulated,
                                                   const std::optional<double>& measured);

/// Summary of the errors of several rows.
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

/// A range of values; an end that is missing is open. A single value has both ends equal.
struct Interval {
  std::optional<double> low;
  std::optional<double> high;

  friend bool operator==(const Interval&, const Interval&) = default;

  [[nodiscard]] bool is_empty() const { return !low && !high; }
};

/// Reads "1.5", "1.3-1.5" and "up to 1.85"; nothing for any other text.
[[nodiscard]] std::optional<Interval> interval_from_string(std::string_view text);

/// Distance of the end of `simulated` that is further outside from `measured`, as a signed
/// fraction of the end it misses: 0 only if all of `simulated` lies in `measured`, nothing if one
/// of them is empty.
[[nodiscard]] std::optional<double> distance_from(const Interval& simulated,
                                                  const Interval& measured);

}  // namespace stcsim
