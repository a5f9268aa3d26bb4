#pragma once

#include <cstdint>
#include <vector>

namespace stcsim::curves {

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
