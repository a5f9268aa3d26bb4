// Which points a space has: what its constraints allow, all of it or a sample.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/io/yaml_value.hpp"
#include "common/suggestion.hpp"
#include "sim/sweep/sweep_plan.hpp"

namespace stcsim {
namespace {

constexpr const char* kComparisonText =
    "a comparison such as 'gemm.m >= 128' or 'machine.clock_mhz <= 2 * "
    "machine.accelerator.num_sms' "
    "(<, <=, ==, !=, >=, >)";

/// The axes of a dimension that points of one kind have.
struct SeenDimension {
  std::vector<std::size_t> axes;
  /// Of its axes; 0 if its only axis draws its values.
  std::size_t values = 0;
};

class Expander {
 public:
  Expander(const Space& space, PointKind kind) : space_(space) {
    for (const Dimension& dimension : space.dimensions) {
      SeenDimension seen{{}, space.axes[dimension.axes.front()].values.size()};
      for (const std::size_t axis : dimension.axes) {
        if (concerns(space.axes[axis].root(), kind)) seen.axes.push_back(axis);
      }
      if (!seen.axes.empty()) dimensions_.push_back(std::move(seen));
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
    const auto holds = [&](const Constraint& one) { return one.holds(point); };
    if (!std::ranges::all_of(space_.constraints, holds)) return;
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

Constraint::Constraint(const YamlNode& node, const std::vector<Axis>& axes)
    : text_(read_string(node, "where")), where_(node.location) {
  const std::map<std::string, decltype(compare_)> comparisons{
      {"<", std::less()},          {"<=", std::less_equal()},    {"==", std::equal_to()},
      {"!=", std::not_equal_to()}, {">=", std::greater_equal()}, {">", std::greater()}};
  std::istringstream stream(text_);
  const std::vector<std::string> words(std::istream_iterator<std::string>(stream), {});
  const auto is_comparison = [&](const std::string& word) { return comparisons.contains(word); };
  const auto sign = std::ranges::find_if(words, is_comparison);
  if (std::ranges::count_if(words, is_comparison) != 1) {
    fail(fmt::format("must be {}", kComparisonText));
  }
  compare_ = comparisons.at(*sign);
  may_be_of_texts_ = *sign == "==" || *sign == "!=";
  sides_ = {read_side({words.begin(), sign}, axes), read_side({sign + 1, words.end()}, axes)};
  if (sides_[0].axes.empty() && sides_[1].axes.empty()) fail("names no axis of the space");
}

void Constraint::fail(const std::string& message) const {
  throw ConfigError(where_, fmt::format("'{}' {}", text_, message));
}

Constraint::Side Constraint::read_side(const std::vector<std::string>& words,
                                       const std::vector<Axis>& axes) const {
  Side side;
  if (words.size() % 2 == 0) fail(fmt::format("must be {}", kComparisonText));
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    const auto number = AxisValue{{YamlKind::scalar, word, false, {}, {}, {}}, word}.number();
    const auto axis = find_axis(axes, word);
    if (at % 2 == 1) {
      if (word != "*") fail(fmt::format("has '{}', must be {}", word, kComparisonText));
    } else if (number) {
      side.factor *= *number;
    } else if (axis) {
      side.axes.push_back(*axis);
    } else if (may_be_of_texts_ && words.size() == 1 && word.find('.') == std::string::npos) {
      side.text = word;
    } else {
      fail(fmt::format("names '{}', which is no axis of the space and no number{}", word,
                       did_you_mean(word, names_of(axes))));
    }
  }
  return side;
}

Constraint::Value Constraint::value(const Side& side, const Assignment& values) const {
  if (side.text) return *side.text;
  double product = side.factor;
  for (const std::size_t axis : side.axes) {
    const std::optional<double> number = values[axis]->number();
    const std::string& label = values[axis]->label;
    if (number) {
      product *= *number;
    } else if (may_be_of_texts_ && side.axes.size() == 1 && side.factor == 1) {
      return label;
    } else {
      fail(fmt::format("compares '{}', which is no number", label));
    }
  }
  return product;
}

bool Constraint::compares(std::size_t axis) const {
  return std::ranges::any_of(sides_, [&](const Side& side) {
    return std::ranges::find(side.axes, axis) != side.axes.end();
  });
}

bool Constraint::holds(const Assignment& values) const {
  for (const Side& side : sides_) {
    for (const std::size_t axis : side.axes) {
      if (values[axis] == nullptr) return true;
    }
  }
  return compare_(value(sides_[0], values), value(sides_[1], values));
}

std::vector<Assignment> expand(const Space& space, PointKind kind) {
  if (!space.has(kind)) return {};
  std::vector<Assignment> points = Expander(space, kind).run();
  if (points.empty()) {
    throw ConfigError(fmt::format("space '{}' has no points: 'where' excludes all", space.name));
  }
  return points;
}

}  // namespace stcsim
