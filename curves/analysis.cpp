#include "curves/analysis.hpp"

#include <algorithm>
#include <limits>

#include "curves/crossing.hpp"

namespace stcsim::curves {
namespace {

RunFigures figures_of(const Run& run, const AnalysisOptions& options) {
  const Curve& curve = *run.find(options.metric);
  const std::vector<Point>& points = curve.points;
  const auto less = [](const Point& left, const Point& right) { return left.value < right.value; };
  const auto [least, most] = std::minmax_element(points.begin(), points.end(), less);
  RunFigures figures{run.name,
                     run.format,
                     points.size(),
                     points.front().x,
                     points.back().x,
                     points.back().value,
                     options.lower_is_better ? least->value : most->value,
                     {},
                     {},
                     {}};
  if (options.target) {
    const Target target{*options.target, options.lower_is_better};
    figures.first_crossing = first_crossing(curve, target);
    figures.smoothed_crossing = smoothed_crossing(curve, target, options.window);
    if (options.extrapolate) figures.extrapolated_crossing = extrapolated_crossing(curve, target);
  }
  return figures;
}

template <class Value>
std::vector<double> collect(const std::vector<RunFigures>& runs, Value value) {
  std::vector<double> values;
  for (const RunFigures& run : runs) values.push_back(value(run));
  return values;
}

/// Where each run gets there, never being infinite.
std::vector<double> crossings(const std::vector<RunFigures>& runs,
                              std::optional<double> RunFigures::*crossing) {
  return collect(runs, [crossing](const RunFigures& run) {
    return (run.*crossing).value_or(std::numeric_limits<double>::infinity());
  });
}

Reaching reaching(const std::vector<RunFigures>& runs, std::optional<double> RunFigures::*crossing,
                  std::uint64_t seed) {
  std::vector<double> all = crossings(runs, crossing);
  std::sort(all.begin(), all.end());
  Reaching reaching{all.size(), std::nullopt, std::nullopt};
  const double median = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  if (median < std::numeric_limits<double>::infinity()) reaching.median_of_all = median;
  std::erase(all, std::numeric_limits<double>::infinity());
  if (!all.empty()) reaching.when = spread_of(all, seed);
  return reaching;
}

}  // namespace

SetFigures figures_of(const std::vector<Run>& runs, const AnalysisOptions& options) {
  SetFigures set;
  for (const Run& run : runs) set.runs.push_back(figures_of(run, options));
  const auto final_value = [](const RunFigures& run) { return run.final_value; };
  const auto best_value = [](const RunFigures& run) { return run.best_value; };
  set.final_value = spread_of(collect(set.runs, final_value), options.seed);
  set.best_value = spread_of(collect(set.runs, best_value), options.seed);
  if (options.target) {
    set.first_crossing = reaching(set.runs, &RunFigures::first_crossing, options.seed);
    set.smoothed_crossing = reaching(set.runs, &RunFigures::smoothed_crossing, options.seed);
  }
  return set;
}

SetComparison compare(const SetFigures& first, const SetFigures& second,
                      const AnalysisOptions& options) {
  const auto final_value = [](const RunFigures& run) { return run.final_value; };
  SetComparison comparison;
  comparison.final_value = permutation_test(collect(first.runs, final_value),
                                            collect(second.runs, final_value), options.seed);
  if (options.target) {
    comparison.first_crossing =
        permutation_test(crossings(first.runs, &RunFigures::first_crossing),
                         crossings(second.runs, &RunFigures::first_crossing), options.seed);
  }
  return comparison;
}

}  // namespace stcsim::curves
