#include "curves/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace stcsim::curves {

std::optional<double> first_crossing(const Curve& curve, const Target& target) {
  const auto is_there = [&](const Point& point) { return target.is_reached_by(point.value); };
  const auto found = std::ranges::find_if(curve.points, is_there);
  if (found == curve.points.end()) return std::nullopt;
  return found->x;
}

std::vector<Point> smoothed(const std::vector<Point>& points, std::size_t window) {
  if (window % 2 == 0) throw std::invalid_argument("a window that is even");
  std::vector<Point> means;
  for (std::size_t at = 0; at < points.size(); ++at) {
    const std::size_t side = std::min({window / 2, at, points.size() - 1 - at});
    double sum = 0;
    for (std::size_t i = at - side; i <= at + side; ++i) sum += points[i].value;
    means.push_back({points[at].x, sum / static_cast<double>(2 * side + 1)});
  }
  return means;
}

std::optional<double> smoothed_crossing(const Curve& curve, const Target& target,
                                        std::size_t window) {
  const std::vector<Point> means = smoothed(curve.points, window);
  const auto is_there = [&](const Point& point) { return target.is_reached_by(point.value); };
  const auto found = std::ranges::find_if(means, is_there);
  if (found == means.end()) return std::nullopt;
  if (found == means.begin()) return found->x;
  const Point& before = *(found - 1);
  const double share = (target.value - before.value) / (found->value - before.value);
  return before.x + share * (found->x - before.x);
}

namespace {

RunFigures figures_of(const Run& run, const AnalysisOptions& options) {
  const Curve& curve = *run.find(options.metric);
  const std::vector<Point>& points = curve.points;
  const auto [least, most] = std::ranges::minmax_element(points, {}, &Point::value);
  RunFigures figures{run.name,
                     run.format,
                     points.size(),
                     points.front().x,
                     points.back().x,
                     points.back().value,
                     options.lower_is_better ? least->value : most->value,
                     {},
                     {}};
  if (options.target) {
    const Target target{*options.target, options.lower_is_better};
    figures.first_crossing = first_crossing(curve, target);
    figures.smoothed_crossing = smoothed_crossing(curve, target, options.window);
  }
  return figures;
}

std::vector<double> values_of(const SetFigures& set, double RunFigures::*value) {
  std::vector<double> values;
  for (const RunFigures& run : set.runs) values.push_back(run.*value);
  return values;
}

/// Where each run gets there, never being infinite.
std::vector<double> crossings_of(const SetFigures& set,
                                 std::optional<double> RunFigures::*crossing) {
  std::vector<double> values;
  for (const RunFigures& run : set.runs) {
    values.push_back((run.*crossing).value_or(std::numeric_limits<double>::infinity()));
  }
  return values;
}

Reaching reaching(const SetFigures& set, std::optional<double> RunFigures::*crossing,
                  std::uint64_t seed) {
  std::vector<double> all = crossings_of(set, crossing);
  std::sort(all.begin(), all.end());
  Reaching reaching{all.size(), std::nullopt, std::nullopt};
  const double median = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  if (std::isfinite(median)) reaching.median_of_all = median;
  std::erase(all, std::numeric_limits<double>::infinity());
  if (!all.empty()) reaching.when = spread_of(all, seed);
  return reaching;
}

}  // namespace

SetFigures figures_of(const std::vector<Run>& runs, const AnalysisOptions& options) {
  SetFigures set;
  for (const Run& run : runs) set.runs.push_back(figures_of(run, options));
  set.final_value = spread_of(values_of(set, &RunFigures::final_value), options.seed);
  set.best_value = spread_of(values_of(set, &RunFigures::best_value), options.seed);
  if (options.target) {
    set.first_crossing = reaching(set, &RunFigures::first_crossing, options.seed);
    set.smoothed_crossing = reaching(set, &RunFigures::smoothed_crossing, options.seed);
  }
  return set;
}

Difference difference_of_finals(const SetFigures& first, const SetFigures& second,
                                std::uint64_t seed) {
  return permutation_test(values_of(first, &RunFigures::final_value),
                          values_of(second, &RunFigures::final_value), seed);
}

Difference difference_of_crossings(const SetFigures& first, const SetFigures& second,
                                   std::uint64_t seed) {
  return permutation_test(crossings_of(first, &RunFigures::first_crossing),
                          crossings_of(second, &RunFigures::first_crossing), seed);
}

}  // namespace stcsim::curves
