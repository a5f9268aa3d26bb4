#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "curves/crossing.hpp"
#include "curves/run.hpp"
#include "curves/statistics.hpp"

namespace stcsim::curves {

struct AnalysisOptions {
  std::string metric;
  bool lower_is_better = false;
  std::optional<double> target;
  /// Runs that do not reach the target are continued by a power law (extrapolated_crossing).
  bool extrapolate = false;
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
  /// Where the target is reached (crossing.hpp), if it is.
  std::optional<double> first_crossing;
  std::optional<double> smoothed_crossing;
  /// Where a power law does, if the run itself does not; in no figure of several runs.
  std::optional<double> extrapolated_crossing;
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

/// Whether two sets of runs differ.
struct SetComparison {
  Difference final_value;
  /// Runs that never reach the target count as last.
  std::optional<Difference> first_crossing;
};
[[nodiscard]] SetComparison compare(const SetFigures& first, const SetFigures& second,
                                    const AnalysisOptions& options);

}  // namespace stcsim::curves
