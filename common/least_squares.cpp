#include "common/least_squares.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace stcsim {
namespace {

constexpr std::array<double, 5> kDampings{1e-4, 1e-3, 1e-2, 1e-1, 1};
/// Of a coordinate in one iteration.
constexpr double kMostMove = 0.3;
/// Less of a gain than this share is none.
constexpr double kLeastGain = 1e-3;
/// Below it steps are those of rounding.
constexpr double kLeastStep = 0.01;
/// Mean square of residuals that are none.
constexpr double kNothing = 1e-8;

using Matrix = std::vector<Point>;

double dot(const Point& one, const Point& other) {
  return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

/// Gaussian elimination; the matrix is symmetric and has no zero on its diagonal at any time.
Point solve(Matrix matrix, Point right) {
  const std::size_t size = right.size();
  for (std::size_t pivot = 0; pivot < size; ++pivot) {
    for (std::size_t row = pivot + 1; row < size; ++row) {
      const double factor = matrix[row][pivot] / matrix[pivot][pivot];
      for (std::size_t at = pivot; at < size; ++at) matrix[row][at] -= factor * matrix[pivot][at];
      right[row] -= factor * right[pivot];
    }
  }
  for (std::size_t row = size; row-- > 0;) {
    for (std::size_t at = row + 1; at < size; ++at) right[row] -= matrix[row][at] * right[at];
    right[row] /= matrix[row][row];
  }
  return right;
}

/// Two points for each coordinate, a step above and below, within the bounds.
std::vector<Point> around(const Point& at, double step, double most) {
  std::vector<Point> points;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    for (const double sign : {1.0, -1.0}) {
      points.push_back(at);
      points.back()[axis] = std::clamp(at[axis] + sign * step, -most, most);
    }
  }
  return points;
}

/// @param points  as around() has them
Matrix slopes_of(const std::vector<Point>& points, const std::vector<Point>& values) {
  Matrix slopes;
  for (std::size_t axis = 0; axis < points.size() / 2; ++axis) {
    const double apart = points[2 * axis][axis] - points[2 * axis + 1][axis];
    slopes.push_back(values[2 * axis]);
    for (std::size_t at = 0; at < slopes.back().size(); ++at) {
      slopes.back()[at] = (slopes.back()[at] - values[2 * axis + 1][at]) / apart;
    }
  }
  return slopes;
}

Point moved(const Point& at, const Matrix& slopes, const Point& residuals, double damping,
            double most) {
  Matrix normal;
  Point right;
  for (const Point& slope : slopes) {
    right.push_back(-dot(slope, residuals));
    normal.emplace_back();
    for (const Point& other : slopes) normal.back().push_back(dot(slope, other));
    normal.back()[normal.size() - 1] += damping;
  }
  const Point move = solve(std::move(normal), std::move(right));
  Point to = at;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    to[axis] = std::clamp(at[axis] + std::clamp(move[axis], -kMostMove, kMostMove), -most, most);
  }
  return to;
}

}  // namespace

LeastSquaresResult minimise(const LeastSquares& problem, const Point& start) {
  LeastSquaresResult best{start, {}, Point(start.size(), 0.0)};
  best.residuals = problem.residuals({best.at}).front();
  double step = problem.step;
  for (std::size_t iteration = 0; iteration < problem.iterations && step >= kLeastStep;
       ++iteration) {
    std::vector<Point> points = around(best.at, step, problem.most);
    std::vector<Point> values = problem.residuals(points);
    const Matrix slopes = slopes_of(points, values);
    for (std::size_t axis = 0; axis < slopes.size(); ++axis) {
      const double length = std::sqrt(dot(slopes[axis], slopes[axis]));
      best.influence[axis] = std::max(best.influence[axis], length);
    }
    std::vector<Point> moves;
    for (const double damping : kDampings) {
      moves.push_back(moved(best.at, slopes, best.residuals, damping, problem.most));
    }
    for (Point& value : problem.residuals(moves)) values.push_back(std::move(value));
    points.insert(points.end(), moves.begin(), moves.end());
    const double before = dot(best.residuals, best.residuals);
    const auto least =
        std::ranges::min_element(values, {}, [](auto& one) { return dot(one, one); });
    if (dot(*least, *least) < before * (1 - kLeastGain)) {
      best.at = points[static_cast<std::size_t>(least - values.begin())];
      best.residuals = *least;
    } else {
      step /= 2;
    }
    const auto count = static_cast<double>(best.residuals.size());
    if (dot(best.residuals, best.residuals) < kNothing * count) break;
  }
  return best;
}

}  // namespace stcsim
