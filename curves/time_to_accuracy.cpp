#include "curves/time_to_accuracy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>

namespace stcsim::curves {
namespace {

void require_positive(double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw std::invalid_argument("a time or number of steps that is not positive");
  }
}

constexpr double kSecondsPerHour = 3600;

/// Hours of every run, infinite where it never gets there.
std::vector<double> all_hours(const TimedRuns& timed) {
  std::vector<double> hours;
  for (const std::optional<double>& epochs : timed.runs) {
    hours.push_back(epochs ? timed.training.hours_at(*epochs)
                           : std::numeric_limits<double>::infinity());
  }
  return hours;
}

std::vector<double> reached_hours(const EpochsToTarget& runs, const TimedTraining& training,
                                  const TrainingCourse& course) {
  std::vector<double> hours;
  for (const std::optional<double>& epochs : runs) {
    if (epochs) hours.push_back(training.hours_at(course, *epochs));
  }
  return hours;
}

double mean_value(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The mean hours along one of the courses of a training.
double mean_hours(const EpochsToTarget& runs, const TimedTraining& training,
                  const TrainingCourse& course) {
  return mean_value(reached_hours(runs, training, course));
}

bool excludes_one(const std::optional<Interval>& interval) {
  return interval && (interval->low > 1 || interval->high < 1);
}

Verdict verdict_of(const TimedRuns& dense, const TimedRuns& scheme, const SpeedupToTarget& found) {
  const bool is_reached = std::any_of(scheme.runs.begin(), scheme.runs.end(),
                                      [](const auto& epochs) { return epochs.has_value(); });
  if (!is_reached) return Verdict::not_reached;
  if (!found.speedup) return Verdict::dense_not_reached;
  if (dense.runs.size() < 2 || scheme.runs.size() < 2) return Verdict::one_run;
  const bool is_clear =
      found.difference->p_value < kSignificant && excludes_one(found.speedup->interval);
  if (!is_clear) return Verdict::not_told_apart;
  return found.speedup->value > 1 ? Verdict::faster : Verdict::slower;
}

/// No more of anything, and less of something.
bool beats(const std::vector<double>& one, const std::vector<double>& other) {
  return one != other && std::ranges::equal(one, other, std::less_equal<>());
}

std::vector<double> costs_of(const TimedValue& point, bool lower_is_better) {
  return {point.hours, lower_is_better ? point.value : -point.value};
}

/// The value of a curve at x; nothing before its first and behind its last point.
std::optional<double> value_at(const std::vector<Point>& points, double x) {
  const auto behind = std::lower_bound(points.begin(), points.end(), x,
                                       [](const Point& point, double at) { return point.x < at; });
  if (behind == points.end()) return std::nullopt;
  if (behind->x == x) return behind->value;
  if (behind == points.begin()) return std::nullopt;
  const Point& before = *(behind - 1);
  return before.value + (behind->value - before.value) * (x - before.x) / (behind->x - before.x);
}

}  // namespace

std::optional<double> break_even(double dense_step_s, double scheme_step_s, double dense_steps,
                                 double once_s) {
  for (const double value : {dense_step_s, scheme_step_s, dense_steps}) require_positive(value);
  if (!(once_s >= 0)) throw std::invalid_argument("a negative time");
  const double dense_s = dense_step_s * dense_steps;
  if (dense_s <= once_s) return std::nullopt;
  return dense_step_s / scheme_step_s * (dense_s - once_s) / dense_s;
}

double TimedTraining::hours_at(const TrainingCourse& one, double epochs) const {
  return one.seconds_at(epochs_before + epochs) / kSecondsPerHour;
}

double TimedTraining::hours() const {
  return course.seconds() / kSecondsPerHour;
}

std::optional<Interval> combined(double value, const std::optional<Interval>& first,
                                 const std::optional<Interval>& second) {
  if (!first || !second) return first ? first : second;
  const auto below = [value](double end) { return std::max(0.0, std::log(value / end)); };
  const auto above = [value](double end) { return std::max(0.0, std::log(end / value)); };
  return Interval{value * std::exp(-std::hypot(below(first->low), below(second->low))),
                  value * std::exp(std::hypot(above(first->high), above(second->high)))};
}

std::optional<Uncertain> hours_to_target(const EpochsToTarget& runs, const TimedTraining& training,
                                         std::uint64_t seed) {
  const std::vector<double> hours = reached_hours(runs, training, training.course);
  if (hours.empty()) return std::nullopt;
  Uncertain found{mean_value(hours), bootstrap_interval(hours, seed), std::nullopt, std::nullopt};
  found.of_simulation = Interval{mean_hours(runs, training, training.least),
                                 mean_hours(runs, training, training.most)};
  if (found.of_curves) {
    found.interval = combined(found.value, found.of_curves, found.of_simulation);
  }
  return found;
}

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 8> kNames{"baseline",
                                                   "faster",
                                                   "slower",
                                                   "cannot be told apart",
                                                   "one run",
                                                   "not reached",
                                                   "dense does not reach it",
                                                   "unknown"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

SpeedupToTarget speedup_to_target(const TimedRuns& dense, const TimedRuns& scheme,
                                  std::uint64_t seed) {
  SpeedupToTarget found;
  if (!dense.runs.empty() && !scheme.runs.empty()) {
    found.difference = permutation_test(all_hours(dense), all_hours(scheme), seed);
  }
  const auto dense_hours = reached_hours(dense.runs, dense.training, dense.training.course);
  const auto own_hours = reached_hours(scheme.runs, scheme.training, scheme.training.course);
  if (!dense_hours.empty() && !own_hours.empty()) {
    const double own = mean_value(own_hours);
    Uncertain& speedup = found.speedup.emplace();
    speedup.value = mean_value(dense_hours) / own;
    speedup.of_curves = bootstrap_ratio_interval(dense_hours, own_hours, seed);
    const TimedTraining& training = scheme.training;
    speedup.of_simulation =
        Interval{speedup.value * own / mean_hours(scheme.runs, training, training.slowest),
                 speedup.value * own / mean_hours(scheme.runs, training, training.fastest)};
    if (speedup.of_curves) {
      speedup.interval = combined(speedup.value, speedup.of_curves, speedup.of_simulation);
    }
  }
  found.verdict = verdict_of(dense, scheme, found);
  return found;
}

SpeedupToTarget speedup_of_predicted(const TimedRuns& dense, const TimedRuns& scheme,
                                     const Interval& factor) {
  SpeedupToTarget found;
  const std::vector<double> hours =
      reached_hours(dense.runs, dense.training, dense.training.course);
  const bool is_reached = std::ranges::any_of(
      scheme.runs, [](const std::optional<double>& epochs) { return epochs.has_value(); });
  if (!is_reached) return found;
  found.verdict = Verdict::dense_not_reached;
  if (hours.empty()) return found;
  const double dense_mean = mean_value(hours);
  const TimedTraining& own = scheme.training;
  Uncertain& speedup = found.speedup.emplace();
  speedup.value = dense_mean / mean_hours(scheme.runs, own, own.course);
  speedup.of_simulation = Interval{dense_mean / mean_hours(scheme.runs, own, own.slowest),
                                   dense_mean / mean_hours(scheme.runs, own, own.fastest)};
  speedup.of_curves = Interval{speedup.value / factor.high, speedup.value / factor.low};
  speedup.interval = combined(speedup.value, speedup.of_curves, speedup.of_simulation);
  found.verdict = Verdict::not_told_apart;
  if (excludes_one(speedup.interval)) {
    found.verdict = speedup.value > 1 ? Verdict::faster : Verdict::slower;
  }
  return found;
}

WithinBudget within_budget(const std::vector<std::vector<Point>>& curves,
                           const EpochsToTarget& runs, const TimedTraining& training,
                           double budget_hours, std::uint64_t seed) {
  const auto is_in_time = [&](double epochs) { return training.hours_at(epochs) <= budget_hours; };
  WithinBudget found{curves.size(), 0, std::nullopt};
  std::vector<double> values;
  for (const std::vector<Point>& points : curves) {
    const auto late = std::find_if(points.begin(), points.end(),
                                   [&](const Point& point) { return !is_in_time(point.x); });
    if (late != points.begin()) values.push_back((late - 1)->value);
  }
  for (const std::optional<double>& epochs : runs) {
    if (epochs && is_in_time(*epochs)) ++found.reached;
  }
  if (!values.empty()) found.value = spread_of(values, seed);
  return found;
}

std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& costs) {
  std::vector<std::size_t> places(costs.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, {}, [&](std::size_t place) { return costs[place]; });
  // Only one before it can beat one, and of those only the front need be asked.
  std::vector<std::size_t> front;
  for (const std::size_t place : places) {
    const auto beats_it = [&](std::size_t other) { return beats(costs[other], costs[place]); };
    if (std::ranges::none_of(front, beats_it)) front.push_back(place);
  }
  return front;
}

std::vector<TimedValue> pareto_front(const std::vector<TimedValue>& points, bool lower_is_better) {
  std::vector<std::vector<double>> costs;
  for (const TimedValue& point : points) costs.push_back(costs_of(point, lower_is_better));
  std::vector<TimedValue> front;
  for (const std::size_t place : pareto_front(costs)) front.push_back(points[place]);
  return front;
}

bool is_beaten(const TimedValue& point, const std::vector<TimedValue>& points,
               bool lower_is_better) {
  const std::vector<double> costs = costs_of(point, lower_is_better);
  return std::ranges::any_of(points, [&](const TimedValue& other) {
    return other.of != point.of && beats(costs_of(other, lower_is_better), costs);
  });
}

std::vector<MeanPoint> mean_curve(const std::vector<std::vector<Point>>& curves) {
  std::set<double> all;
  for (const std::vector<Point>& points : curves) {
    for (const Point& point : points) all.insert(point.x);
  }
  std::vector<MeanPoint> means;
  for (const double x : all) {
    MeanPoint mean{x, 0, 0, 0, 0};
    for (const std::vector<Point>& points : curves) {
      const std::optional<double> value = value_at(points, x);
      if (!value) continue;
      mean.least = mean.runs == 0 ? *value : std::min(mean.least, *value);
      mean.most = mean.runs == 0 ? *value : std::max(mean.most, *value);
      mean.mean += *value;
      ++mean.runs;
    }
    mean.mean /= static_cast<double>(mean.runs);
    means.push_back(mean);
  }
  return means;
}

}  // namespace stcsim::curves
