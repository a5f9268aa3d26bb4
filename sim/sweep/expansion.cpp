#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/sweep/sweep_plan.hpp"

namespace stcsim {
namespace {

/// A dimension as points of one kind see it.
struct SeenDimension {
  std::vector<std::size_t> axes;
  /// Of its axes; 0 if its only axis draws its values.
  std::size_t values = 0;
};

class Expander {
 public:
  Expander(const Space& space, PointKind kind) : space_(space) {
    for (const Dimension& dimension : space.dimensions) {
      SeenDimension seen;
      for (const std::size_t axis : dimension.axes) {
        if (concerns(space.axes[axis].root(), kind)) seen.axes.push_back(axis);
      }
      if (seen.axes.empty()) continue;
      seen.values = space.axes[seen.axes.front()].values.size();
      dimensions_.push_back(std::move(seen));
    }
  }

  std::vector<Assignment> run() {
    if (!space_.sampling) {
      take_all();
    } else if (space_.sampling->kind == Sampling::Kind::random) {
      draw_randomly();
    } else {
      draw_latin_hypercube();
    }
    return std::move(taken_);
  }

 private:
  /// Points of the whole cross product; kMostPoints + 1 if there are more, or values are drawn.
  [[nodiscard]] std::int64_t size() const {
    std::int64_t product = 1;
    for (const SeenDimension& dimension : dimensions_) {
      const auto values = static_cast<std::int64_t>(dimension.values);
      if (values == 0 || product > kMostPoints / values) return kMostPoints + 1;
      product *= values;
    }
    return product;
  }

  [[nodiscard]] Assignment none() const { return Assignment(space_.axes.size()); }

  void put(Assignment& point, const SeenDimension& dimension, std::size_t value) const {
    for (const std::size_t axis : dimension.axes) point[axis] = space_.axes[axis].values[value];
  }

  /// The value that a share of the dimension, 0 to 1, falls upon.
  void put_share(Assignment& point, const SeenDimension& dimension, double share) const {
    if (dimension.values == 0) {
      const std::size_t axis = dimension.axes.front();
      point[axis] = space_.axes[axis].drawn->at(share);
      return;
    }
    const auto value = static_cast<std::size_t>(share * static_cast<double>(dimension.values));
    put(point, dimension, std::min(value, dimension.values - 1));
  }

  void take(Assignment point) {
    for (const Constraint& constraint : space_.constraints) {
      if (!constraint.holds(point)) return;
    }
    std::string labels;
    for (const AxisValuePointer& value : point) {
      labels += value == nullptr ? "\n" : value->label + "\n";
    }
    if (known_.insert(std::move(labels)).second) taken_.push_back(std::move(point));
  }

  void take_all() {
    const std::int64_t count = size();
    if (count > kMostPoints) {
      throw ConfigError(
          fmt::format("space '{}' has more than {} points: sample it, or leave out "
                      "values",
                      space_.name, kMostPoints));
    }
    for (std::int64_t at = 0; at < count; ++at) {
      Assignment point = none();
      auto rest = static_cast<std::size_t>(at);
      for (auto dimension = dimensions_.rbegin(); dimension != dimensions_.rend(); ++dimension) {
        put(point, *dimension, rest % dimension->values);
        rest /= dimension->values;
      }
      take(std::move(point));
    }
  }

  /// From 0 up to, not including, 1.
  double share() {
    constexpr int kUnusedBits = 11;
    constexpr double kStep = 1.0 / 9007199254740992.0;  // 2^-53
    return static_cast<double>(random_() >> kUnusedBits) * kStep;
  }

  void draw_randomly() {
    constexpr std::int64_t kTriesPerPoint = 200;
    const Sampling& sampling = *space_.sampling;
    if (size() <= sampling.points) return take_all();
    random_.seed(sampling.seed);
    for (std::int64_t tries = 0; tries < kTriesPerPoint * sampling.points; ++tries) {
      if (static_cast<std::int64_t>(taken_.size()) == sampling.points) return;
      Assignment point = none();
      for (const SeenDimension& dimension : dimensions_) put_share(point, dimension, share());
      take(std::move(point));
    }
  }

  void draw_latin_hypercube() {
    const auto count = static_cast<std::size_t>(space_.sampling->points);
    random_.seed(space_.sampling->seed);
    std::vector<Assignment> points(count, none());
    for (const SeenDimension& dimension : dimensions_) {
      const std::vector<std::size_t> slices = shuffled(count);
      for (std::size_t at = 0; at < count; ++at) {
        const double place = static_cast<double>(slices[at]) + share();
        put_share(points[at], dimension, place / static_cast<double>(count));
      }
    }
    for (Assignment& point : points) take(std::move(point));
  }

  /// 0 to count - 1, in an order that is drawn (Fisher and Yates).
  std::vector<std::size_t> shuffled(std::size_t count) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    for (std::size_t left = count; left > 1; --left) {
      const auto other = static_cast<std::size_t>(share() * static_cast<double>(left));
      std::swap(numbers[left - 1], numbers[other]);
    }
    return numbers;
  }

  const Space& space_;
  std::vector<SeenDimension> dimensions_;
  std::mt19937_64 random_;
  std::set<std::string> known_;
  std::vector<Assignment> taken_;
};

}  // namespace

std::vector<Assignment> expand(const Space& space, PointKind kind) {
  if (!space.has(kind)) return {};
  std::vector<Assignment> points = Expander(space, kind).run();
  if (points.empty()) {
    throw ConfigError(fmt::format("space '{}' has no points: 'where' excludes all", space.name));
  }
  return points;
}

}  // namespace stcsim
