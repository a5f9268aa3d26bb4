#include "curves/time_to_accuracy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace stcsim::curves {
namespace {

void require_positive(double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw std::invalid_argument("a time or number of steps that is not positive");
  }
}

}  // namespace

double mean_step_s(const std::vector<TrainingPart>& parts) {
  constexpr double kRounding = 1e-9;
  double shares = 0;
  double mean = 0;
  for (const TrainingPart& part : parts) {
    if (!(part.share >= 0) || !(part.step_s >= 0)) throw std::invalid_argument("a negative part");
    shares += part.share;
    mean += part.share * part.step_s;
  }
  if (!(std::abs(shares - 1) <= kRounding)) {
    throw std::invalid_argument("shares of a training that do not add up to 1");
  }
  return mean;
}

double break_even(double dense_step_s, double scheme_step_s) {
  require_positive(dense_step_s);
  require_positive(scheme_step_s);
  return dense_step_s / scheme_step_s;
}

std::optional<double> break_even(double dense_step_s, double scheme_step_s, double dense_steps,
                                 double once_s) {
  require_positive(dense_steps);
  if (!(once_s >= 0)) throw std::invalid_argument("a negative time");
  const double ratio = break_even(dense_step_s, scheme_step_s);
  const double left_s = dense_step_s * dense_steps - once_s;
  if (left_s <= 0) return std::nullopt;
  return ratio * left_s / (dense_step_s * dense_steps);
}

double speedup_to_accuracy(double dense_step_s, double scheme_step_s, double steps_ratio) {
  require_positive(steps_ratio);
  return break_even(dense_step_s, scheme_step_s) / steps_ratio;
}

namespace {

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

}  // namespace

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

}  // namespace stcsim::curves
