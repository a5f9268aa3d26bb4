#include "curves/pareto.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace stcsim::curves {
namespace {

/// At least as good in no more time, and better in one of both.
bool beats(const TimedValue& one, const TimedValue& other, bool lower_is_better) {
  const double gain = lower_is_better ? other.value - one.value : one.value - other.value;
  return one.hours <= other.hours && gain >= 0 && (one.hours < other.hours || gain > 0);
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

std::vector<TimedValue> pareto_front(std::vector<TimedValue> points, bool lower_is_better) {
  const auto sooner = [lower_is_better](const TimedValue& one, const TimedValue& other) {
    if (one.hours != other.hours) return one.hours < other.hours;
    return lower_is_better ? one.value < other.value : one.value > other.value;
  };
  std::stable_sort(points.begin(), points.end(), sooner);
  std::vector<TimedValue> front;
  for (const TimedValue& point : points) {
    if (front.empty() || !beats(front.back(), point, lower_is_better)) front.push_back(point);
  }
  return front;
}

bool is_beaten(const TimedValue& point, const std::vector<TimedValue>& points,
               bool lower_is_better) {
  return std::any_of(points.begin(), points.end(), [&](const TimedValue& other) {
    return other.of != point.of && beats(other, point, lower_is_better);
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
