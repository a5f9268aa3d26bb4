#include "curves/pareto.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

namespace stcsim::curves {
namespace {

/// No more of anything, and less of something.
bool beats(const std::vector<double>& one, const std::vector<double>& other) {
  return one != other && std::ranges::equal(one, other, std::less_equal<>());
}

std::vector<double> costs_of(const TimedValue& point, bool lower_is_better) {
  return {point.hours, lower_is_better ? point.value : -point.value};
}

/// The value of a curve at x; nothing before its first and behind its last point.
std::optional<double> value_at(const std::vector<Point>& points, double x) {
  const auto behind = std::lower_bound(points.begin(), points.end(), x,
                                       [](const Point& point, double at) { return point.x < at; });
  if (behind == points.end()) return std::nullopt;
  if (behind->x == x) return behind->value;
  if (behind == points.begin()) return std::nullopt;
  const Point& before = *(behind - 1);
  return before.value + (behind->value - before.value) * (x - before.x) / (behind->x - before.x);
}

}  // namespace

std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& costs) {
  std::vector<std::size_t> places(costs.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, {}, [&](std::size_t place) { return costs[place]; });
  // Only one before it can beat one, and of those only the front need be asked.
  std::vector<std::size_t> front;
  for (const std::size_t place : places) {
    const auto beats_it = [&](std::size_t other) { return beats(costs[other], costs[place]); };
    if (std::ranges::none_of(front, beats_it)) front.push_back(place);
  }
  return front;
}

std::vector<TimedValue> pareto_front(const std::vector<TimedValue>& points, bool lower_is_better) {
  std::vector<std::vector<double>> costs;
  for (const TimedValue& point : points) costs.push_back(costs_of(point, lower_is_better));
  std::vector<TimedValue> front;
  for (const std::size_t place : pareto_front(costs)) front.push_back(points[place]);
  return front;
}

bool is_beaten(const TimedValue& point, const std::vector<TimedValue>& points,
               bool lower_is_better) {
  const std::vector<double> costs = costs_of(point, lower_is_better);
  return std::ranges::any_of(points, [&](const TimedValue& other) {
    return other.of != point.of && beats(costs_of(other, lower_is_better), costs);
  });
}

std::vector<MeanPoint> mean_curve(const std::vector<std::vector<Point>>& curves) {
  std::set<double> all;
  for (const std::vector<Point>& points : curves) {
    for (const Point& point : points) all.insert(point.x);
  }
  std::vector<MeanPoint> means;
  for (const double x : all) {
    MeanPoint mean{x, 0, 0, 0, 0};
    for (const std::vector<Point>& points : curves) {
      const std::optional<double> value = value_at(points, x);
      if (!value) continue;
      mean.least = mean.runs == 0 ? *value : std::min(mean.least, *value);
      mean.most = mean.runs == 0 ? *value : std::max(mean.most, *value);
      mean.mean += *value;
      ++mean.runs;
    }
    mean.mean /= static_cast<double>(mean.runs);
    means.push_back(mean);
  }
  return means;
}

}  // namespace stcsim::curves
