#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace stcsim {

using Point = std::vector<double>;

/// A sum of squares to be made small: of functions that may have steps, as times of a simulated
/// machine have in its numbers.
struct LeastSquares {
  /// The residuals at each of several points, as many at each. Points are evaluated together
  /// because that may be done side by side.
  std::function<std::vector<Point>(const std::vector<Point>& points)> residuals;
  /// Each coordinate stays within -most .. most.
  double most = 1;
  /// Half of what slopes are taken over, to begin with: more than the functions' steps.
  double step = 0.1;
  std::size_t iterations = 12;
};

struct LeastSquaresResult {
  Point at;
  Point residuals;
  /// The length of each coordinate's slopes, the largest that were taken: 0 where nothing depends
  /// on it.
  Point influence;
};

/// Levenberg's and Marquardt's method (SIAM J. Appl. Math. 11, 431, 1963) with central differences
/// and five dampings at a time; where none helps, the best of the points that slopes were taken
/// from, and else half the step.
[[nodiscard]] LeastSquaresResult minimise(const LeastSquares& problem, const Point& start);

}  // namespace stcsim
