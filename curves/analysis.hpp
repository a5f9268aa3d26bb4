#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "curves/run.hpp"
#include "curves/statistics.hpp"

namespace stcsim::curves {

/// A value of a metric that is to be reached.
struct Target {
  double value = 0;
  bool lower_is_better = false;

  [[nodiscard]] bool is_reached_by(double measured) const {
    return lower_is_better ? measured <= value : measured >= value;
  }
};

/// x of the first measured point that reaches the target: nothing is interpolated, as MLPerf counts
/// it. Nothing if no point does: a curve is never continued.
[[nodiscard]] std::optional<double> first_crossing(const Curve& curve, const Target& target);

/// Mean of the points around each: `window` of them (odd), or as many on either side as there are
/// before the nearer end, so that the first and the last are themselves and a straight line of even
/// steps stays one.
/// @throws std::invalid_argument unless the window is odd
[[nodiscard]] std::vector<Point> smoothed(const std::vector<Point>& points, std::size_t window);

/// Where the smoothed curve first reaches the target, on a straight line between the points before
/// and behind; its first point if that reaches it.
[[nodiscard]] std::optional<double> smoothed_crossing(const Curve& curve, const Target& target,
                                                      std::size_t window);

struct AnalysisOptions {
  std::string metric;
  bool lower_is_better = false;
  std::optional<double> target;
  /// Points that smoothing takes together, odd.
  std::size_t window = 5;
  /// Seeds the draws of bootstrap and permutation test.
  std::uint64_t seed = 1;
};

/// One run's figures in the metric.
struct RunFigures {
  std::string run;
  std::string format;
  std::size_t points = 0;
  double first_x = 0;
  double last_x = 0;
  double final_value = 0;
  double best_value = 0;
  /// Where the target is reached (first_crossing below), if it is.
  std::optional<double> first_crossing;
  std::optional<double> smoothed_crossing;
};

/// The number of several runs that reach a target, and when they do.
struct Reaching {
  std::size_t runs = 0;
  /// Over the runs that reach it alone; none if none does.
  std::optional<Spread> when;
  /// Over all runs, those that never reach it being last; none if it lies among these.
  std::optional<double> median_of_all;

  [[nodiscard]] std::size_t reached() const { return when ? when->count : 0; }
};

/// Runs that differ in their seeds alone.
struct SetFigures {
  std::vector<RunFigures> runs;
  Spread final_value;
  Spread best_value;
  std::optional<Reaching> first_crossing;     // with a target
  std::optional<Reaching> smoothed_crossing;  // with a target
};

/// @param runs at least one, all with the metric
[[nodiscard]] SetFigures figures_of(const std::vector<Run>& runs, const AnalysisOptions& options);

/// Whether two sets of runs differ; those that never reach the target count as last.
[[nodiscard]] Difference difference_of_finals(const SetFigures& first, const SetFigures& second,
                                              std::uint64_t seed);
[[nodiscard]] Difference difference_of_crossings(const SetFigures& first, const SetFigures& second,
                                                 std::uint64_t seed);

}  // namespace stcsim::curves
