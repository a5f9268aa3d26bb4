#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace stcsim::curves {

struct Interval {
  double low = 0;
  double high = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// [low, high]; the high end is null where there is none: time to what may never be reached.
void to_json(nlohmann::ordered_json& json, const Interval& interval);

[[nodiscard]] double mean_of(const std::vector<double>& values);

/// Share of the resampled means that an interval holds.
inline constexpr double kConfidence = 0.95;

/// Bootstrap interval of the mean: the middle 95 % of the means of the values drawn again with
/// replacement (Efron, "Bootstrap Methods: Another Look at the Jackknife", 1979; percentile
/// method). Of up to five values all equally likely draws are gone through; of more, 10,000 are
/// drawn from `seed`. None of fewer than two values: one run says nothing of the next one.
[[nodiscard]] std::optional<Interval> bootstrap_interval(const std::vector<double>& values,
                                                         std::uint64_t seed);

/// The same of the mean of `over` divided by the mean of `under`, positive values: 10,000 draws of
/// both sets. None if either has fewer than two values.
[[nodiscard]] std::optional<Interval> bootstrap_ratio_interval(const std::vector<double>& over,
                                                               const std::vector<double>& under,
                                                               std::uint64_t seed);

/// Figures of several runs.
struct Spread {
  std::size_t count = 0;
  double mean = 0;
  double median = 0;
  double least = 0;
  double most = 0;
  std::optional<Interval> interval;  // of the mean
};

/// @throws std::invalid_argument if there are no values
[[nodiscard]] Spread spread_of(const std::vector<double>& values, std::uint64_t seed);

/// The probability of two sets of runs to differ as much as they do if nothing but chance tells
/// them apart.
struct Difference {
  /// Mean of the second set less mean of the first; of ranks where ranks are compared.
  double mean = 0;
  /// Share of all ways to deal the values into two such sets in which their means differ at least
  /// as much (two-sided).
  double p_value = 1;
  /// The least p that sets of these sizes can have: 0.1 for three against three.
  double least_p = 1;
  /// All ways were gone through, rather than 100,000 drawn from a seed.
  bool exact = true;
};

/// Below this p sets are said to differ; from it on they cannot be told apart.
inline constexpr double kSignificant = 0.05;

/// Permutation test of the difference of means (Fisher, "The Design of Experiments", 1935; Pitman
/// 1937). Where some values are infinite (runs that never got there), and thus have no mean,
/// midranks take their place, which makes it the exact Wilcoxon-Mann-Whitney test.
/// @throws std::invalid_argument if a set is empty, or a value NaN
[[nodiscard]] Difference permutation_test(const std::vector<double>& first,
                                          const std::vector<double>& second, std::uint64_t seed);

}  // namespace stcsim::curves
