#include "curves/spread.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace stcsim::curves {
namespace {

constexpr std::size_t kMostEnumerated = 5;  // values: 3125 draws
constexpr std::size_t kDraws = 10'000;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

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
    std::sort(drawn.begin(), drawn.end());  // equal draws have equal means, to the last bit
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

}  // namespace

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

}  // namespace stcsim::curves
