#pragma once

#include <optional>
#include <string_view>

namespace stcsim {

/// A range of values; an end that is missing is open. A single value has both ends equal.
struct Interval {
  std::optional<double> low;
  std::optional<double> high;

  friend bool operator==(const Interval&, const Interval&) = default;

  [[nodiscard]] bool is_empty() const { return !low && !high; }
};

/// Reads "1.5", "1.3-1.5" and "up to 1.85"; nothing for any other text.
[[nodiscard]] std::optional<Interval> interval_from_string(std::string_view text);

/// How far the end of `simulated` that is further outside lies outside `measured`, as a signed
/// fraction of the end it misses: 0 only if all of `simulated` lies in `measured`, nothing if one
/// of them is empty.
[[nodiscard]] std::optional<double> distance_from(const Interval& simulated,
                                                  const Interval& measured);

}  // namespace stcsim
