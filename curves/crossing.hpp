#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "curves/run.hpp"

namespace stcsim::curves {

/// A value of a metric that is to be reached.
struct Target {
  double value = 0;
  bool lower_is_better = false;

  [[nodiscard]] bool is_reached_by(double measured) const {
    return lower_is_better ? measured <= value : measured >= value;
  }
};

/// x of the first measured point that reaches the target: nothing is interpolated, as MLPerf counts
/// it. Nothing if no point does: a curve is never continued.
[[nodiscard]] std::optional<double> first_crossing(const Curve& curve, const Target& target);

/// Mean of the points around each: `window` of them (odd), or as many on either side as there are
/// before the nearer end, so that the first and the last are themselves and a straight line of even
/// steps stays one.
/// @throws std::invalid_argument unless the window is odd
[[nodiscard]] std::vector<Point> smoothed(const std::vector<Point>& points, std::size_t window);

/// Where the smoothed curve first reaches the target, on a straight line between the points before
/// and behind; its first point if that reaches it.
[[nodiscard]] std::optional<double> smoothed_crossing(const Curve& curve, const Target& target,
                                                      std::size_t window);

}  // namespace stcsim::curves
