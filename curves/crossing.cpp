#include "curves/crossing.hpp"

#include <algorithm>
#include <stdexcept>

namespace stcsim::curves {

std::optional<double> first_crossing(const Curve& curve, const Target& target) {
  const auto found =
      std::find_if(curve.points.begin(), curve.points.end(),
                   [&](const Point& point) { return target.is_reached_by(point.value); });
  if (found == curve.points.end()) return std::nullopt;
  return found->x;
}

std::vector<Point> smoothed(const std::vector<Point>& points, std::size_t window) {
  if (window % 2 == 0) throw std::invalid_argument("a window that is even");
  std::vector<Point> means;
  for (std::size_t at = 0; at < points.size(); ++at) {
    const std::size_t side = std::min({window / 2, at, points.size() - 1 - at});
    double sum = 0;
    for (std::size_t i = at - side; i <= at + side; ++i) sum += points[i].value;
    means.push_back({points[at].x, sum / static_cast<double>(2 * side + 1)});
  }
  return means;
}

std::optional<double> smoothed_crossing(const Curve& curve, const Target& target,
                                        std::size_t window) {
  const std::vector<Point> means = smoothed(curve.points, window);
  const auto found = std::find_if(means.begin(), means.end(), [&](const Point& point) {
    return target.is_reached_by(point.value);
  });
  if (found == means.end()) return std::nullopt;
  if (found == means.begin()) return found->x;
  const Point& before = *(found - 1);
  const double share = (target.value - before.value) / (found->value - before.value);
  return before.x + share * (found->x - before.x);
}

}  // namespace stcsim::curves
