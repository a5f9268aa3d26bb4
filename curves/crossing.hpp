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

/// A learning curve as a power law: value = limit + scale * x^-exponent.
struct PowerLaw {
  double limit = 0;
  double scale = 0;
  double exponent = 0;

  [[nodiscard]] double value_at(double x) const;
  /// The x at which it is `value`; nothing if it never is.
  [[nodiscard]] std::optional<double> x_of(double value) const;
};

/// The power law of least squared error through the second half of a curve's points: the exponent
/// is the best of a hundred from 0.05 to 5, evenly spaced in their logarithm; for each, limit and
/// scale are the least-squares ones. Nothing of fewer than four points there, or where they do not
/// get better towards a limit.
[[nodiscard]] std::optional<PowerLaw> fit_power_law(const Curve& curve, bool lower_is_better);

/// Where the fitted power law reaches a target that the curve itself does not, behind its last
/// point. Nothing if it is reached, cannot be fitted, or lies beyond the limit.
[[nodiscard]] std::optional<double> extrapolated_crossing(const Curve& curve, const Target& target);

}  // namespace stcsim::curves
