#include "curves/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "common/io/json_text.hpp"

namespace stcsim::curves {
namespace {

constexpr std::size_t kMostEnumerated = 5;  // values: 3125 draws
constexpr std::size_t kDraws = 10'000;

/// Random numbers that are the same with every compiler and library: std::mt19937_64 is laid down
/// by the standard, its distributions are not.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}

  /// One of 0 ... count - 1 (below 2^32), all equally likely to within count / 2^32.
  std::size_t below(std::size_t count) { return ((engine_() >> 32U) * count) >> 32U; }

 private:
  std::mt19937_64 engine_;
};

/// The means of all draws of as many values as there are.
std::vector<double> all_means(const std::vector<double>& values) {
  std::vector<double> means;
  std::vector<double> drawn(values.size());
  std::size_t count = 1;
  for (std::size_t i = 0; i < values.size(); ++i) count *= values.size();
  for (std::size_t draw = 0; draw < count; ++draw) {
    std::size_t rest = draw;
    for (double& value : drawn) {
      value = values[rest % values.size()];
      rest /= values.size();
    }
    std::sort(drawn.begin(),
              drawn.end());  // equal draws have equal means, to the last bit
    means.push_back(mean_of(drawn));
  }
  return means;
}

double drawn_mean(const std::vector<double>& values, Draws& draws) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[draws.below(values.size())];
  return sum / static_cast<double>(values.size());
}

std::vector<double> some_means(const std::vector<double>& values, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<double> means;
  for (std::size_t draw = 0; draw < kDraws; ++draw) means.push_back(drawn_mean(values, draws));
  return means;
}

/// The middle of the resampled figures: as many are left out at either end.
Interval middle_of(std::vector<double> figures) {
  std::sort(figures.begin(), figures.end());
  const double tail = (1 - kConfidence) / 2 * static_cast<double>(figures.size());
  const auto left_out = static_cast<std::size_t>(tail + 1e-9);
  return {figures[left_out], figures[figures.size() - 1 - left_out]};
}

constexpr double kMostEnumeratedWays = 200'000;
constexpr std::size_t kDrawnWays = 100'000;

/// Binomial coefficient, as a double: exact as far as ways are gone through.
double ways_to_choose(std::size_t chosen, std::size_t all) {
  double ways = 1;
  for (std::size_t i = 1; i <= chosen; ++i) {
    ways = ways * static_cast<double>(all - chosen + i) / static_cast<double>(i);
  }
  return std::round(ways);
}

/// Each value's place among all from 1 on; equal ones share the mean of theirs.
std::vector<double> midranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    const auto below = std::count_if(values.begin(), values.end(),
                                     [value](double other) { return other < value; });
    const auto equal = std::count(values.begin(), values.end(), value);
    ranks.push_back(static_cast<double>(below) + static_cast<double>(equal + 1) / 2);
  }
  return ranks;
}

/// Counts the ways of dealing in which the means differ at least as much as they do.
class Dealing {
 public:
  Dealing(std::vector<double> pooled, std::size_t first)
      : pooled_(std::move(pooled)), first_(first) {
    total_ = std::accumulate(pooled_.begin(), pooled_.end(), 0.0);
    double sum = 0;
    double scale = 0;
    for (std::size_t i = 0; i < first_; ++i) sum += pooled_[i];
    for (const double value : pooled_) scale = std::max(scale, std::abs(value));
    observed_ = difference_of(sum);
    // Sums of the same values in another order differ by rounding.
    slack_ = scale * 1e-12 * static_cast<double>(pooled_.size());
  }

  /// Mean of the rest less mean of those that sum up to `sum`.
  [[nodiscard]] double difference_of(double sum) const {
    const auto rest = static_cast<double>(pooled_.size() - first_);
    return (total_ - sum) / rest - sum / static_cast<double>(first_);
  }
  [[nodiscard]] double observed() const { return observed_; }
  [[nodiscard]] bool differs_as_much(double sum) const {
    return std::abs(difference_of(sum)) >= std::abs(observed_) - slack_;
  }

  [[nodiscard]] double enumerated_p() const {
    std::vector<bool> chosen(pooled_.size());
    std::fill_n(chosen.begin(), first_, true);
    std::size_t ways = 0;
    std::size_t as_much = 0;
    do {
      double sum = 0;
      for (std::size_t i = 0; i < pooled_.size(); ++i) sum += chosen[i] ? pooled_[i] : 0.0;
      ++ways;
      if (differs_as_much(sum)) ++as_much;
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
    return static_cast<double>(as_much) / static_cast<double>(ways);
  }

  /// The observed way counts as one of those drawn, so that p is never 0.
  [[nodiscard]] double drawn_p(std::uint64_t seed) const {
    Draws draws(seed);
    std::vector<double> cards = pooled_;
    std::size_t as_much = 1;
    for (std::size_t way = 1; way < kDrawnWays; ++way) {
      double sum = 0;
      for (std::size_t i = 0; i < first_; ++i) {
        std::swap(cards[i], cards[i + draws.below(cards.size() - i)]);
        sum += cards[i];
      }
      if (differs_as_much(sum)) ++as_much;
    }
    return static_cast<double>(as_much) / static_cast<double>(kDrawnWays);
  }

 private:
  std::vector<double> pooled_;
  std::size_t first_;
  double total_ = 0;
  double observed_ = 0;
  double slack_ = 0;
};

}  // namespace

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void to_json(nlohmann::ordered_json& json, const Interval& interval) {
  json = {json_number(interval.low, "interval"), nullptr};
  if (std::isfinite(interval.high)) json[1] = json_number(interval.high, "interval");
}

std::optional<Interval> bootstrap_interval(const std::vector<double>& values, std::uint64_t seed) {
  if (values.size() < 2) return std::nullopt;
  return middle_of(values.size() <= kMostEnumerated ? all_means(values) : some_means(values, seed));
}

std::optional<Interval> bootstrap_ratio_interval(const std::vector<double>& over,
                                                 const std::vector<double>& under,
                                                 std::uint64_t seed) {
  if (over.size() < 2 || under.size() < 2) return std::nullopt;
  Draws draws(seed);
  std::vector<double> ratios;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const double drawn = drawn_mean(over, draws);
    ratios.push_back(drawn / drawn_mean(under, draws));
  }
  return middle_of(std::move(ratios));
}

Spread spread_of(const std::vector<double>& values, std::uint64_t seed) {
  if (values.empty()) throw std::invalid_argument("no values");
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  const double median =
      sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  return {values.size(),  mean_of(sorted), median,
          sorted.front(), sorted.back(),   bootstrap_interval(sorted, seed)};
}

Difference permutation_test(const std::vector<double>& first, const std::vector<double>& second,
                            std::uint64_t seed) {
  if (first.empty() || second.empty()) throw std::invalid_argument("a set without values");
  std::vector<double> pooled = first;
  pooled.insert(pooled.end(), second.begin(), second.end());
  const auto any = [&pooled](auto what) { return std::any_of(pooled.begin(), pooled.end(), what); };
  if (any([](double value) { return std::isnan(value); })) throw std::invalid_argument("NaN");
  if (any([](double value) { return std::isinf(value); })) pooled = midranks(pooled);

  const double ways = ways_to_choose(first.size(), pooled.size());
  const Dealing dealing(std::move(pooled), first.size());
  const bool exact = ways <= kMostEnumeratedWays;
  // Sets of one size can be exchanged: the mirrored way differs as much.
  const double least = (first.size() == second.size() ? 2 : 1) / ways;
  return {dealing.observed(), exact ? dealing.enumerated_p() : dealing.drawn_p(seed),
          exact ? least : 1.0 / static_cast<double>(kDrawnWays), exact};
}

}  // namespace stcsim::curves
