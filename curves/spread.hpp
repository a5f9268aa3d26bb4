#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace stcsim::curves {

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

struct Interval {
  double low = 0;
  double high = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

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

}  // namespace stcsim::curves
