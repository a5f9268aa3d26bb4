#pragma once

#include <optional>

#include "curves/crossing.hpp"
#include "curves/run.hpp"

namespace stcsim::curves {

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
