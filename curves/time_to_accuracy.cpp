#include "curves/time_to_accuracy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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

/// At least as good in no more time, and better in one of both.
bool beats(const TimedValue& one, const TimedValue& other, bool lower_is_better) {
  const double gain = lower_is_better ? other.value - one.value : one.value - other.value;
  return one.hours <= other.hours && gain >= 0 && (one.hours < other.hours || gain > 0);
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
                                                   "no curve"};
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

std::optional<Uncertain> speedup_at_equal_epochs(const EpochsToTarget& runs,
                                                 const TimedTraining& dense,
                                                 const TimedTraining& scheme) {
  const std::vector<double> hours = reached_hours(runs, dense, dense.course);
  if (hours.empty()) return std::nullopt;
  const double dense_mean = mean_value(hours);
  Uncertain speedup;
  speedup.value = dense_mean / mean_hours(runs, scheme, scheme.course);
  speedup.of_simulation = Interval{dense_mean / mean_hours(runs, scheme, scheme.slowest),
                                   dense_mean / mean_hours(runs, scheme, scheme.fastest)};
  speedup.interval = speedup.of_simulation;
  return speedup;
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

std::vector<TimedValue> pareto_front(std::vector<TimedValue> points, bool lower_is_better) {
  const auto sooner = [lower_is_better](const TimedValue& one, const TimedValue& other) {
    if (one.hours != other.hours) return one.hours < other.hours;
    return lower_is_better ? one.value < other.value : one.value > other.value;
  };
  std::stable_sort(points.begin(), points.end(), sooner);
  std::vector<TimedValue> front;
  for (const TimedValue& point : points) {
    if (front.empty() || !beats(front.back(), point, lower_is_better)) front.push_back(point);
  }
  return front;
}

bool is_beaten(const TimedValue& point, const std::vector<TimedValue>& points,
               bool lower_is_better) {
  return std::any_of(points.begin(), points.end(), [&](const TimedValue& other) {
    return other.of != point.of && beats(other, point, lower_is_better);
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
