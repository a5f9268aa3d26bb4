#include "curves/time_to_accuracy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

namespace stcsim::curves {

namespace {

/// Epochs `from` to `to` of a training.
struct Span {
  SectionKind kind = SectionKind::dense;
  double from = 0;
  double to = 0;
};

std::array<Span, 4> spans_of(const SectionRules& rules, double epochs) {
  const double dense = (1 - rules.sparse_share) * epochs;
  const double begin = rules.dense_first ? dense : 0;
  const double end = rules.dense_first ? epochs : epochs - dense;
  const double warm = rules.sparse_share > 0 ? std::min(rules.warm_up_epochs, epochs) : 0;
  const double from = std::max(begin, warm);
  const double to = std::max(end, from);
  return {{{SectionKind::warm_up, 0, warm},
           {SectionKind::dense, warm, from},
           {SectionKind::sparse, from, to},
           {SectionKind::dense, to, epochs}}};
}

}  // namespace

std::string_view to_string(SectionKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"dense before", "warm-up", "sparse", "dense"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::vector<Section> sections_of(const SectionRules& rules, const std::vector<double>& networks) {
  std::vector<Section> sections;
  const auto add = [&sections](SectionKind kind, std::size_t network, double epochs) {
    if (epochs > 0) sections.push_back({kind, network, epochs});
  };
  if (rules.dense_before) {
    for (std::size_t at = 0; at < networks.size(); ++at) {
      add(SectionKind::dense_before, at, networks[at]);
    }
  }
  const double all = std::accumulate(networks.begin(), networks.end(), 0.0);
  double from = 0;
  for (std::size_t at = 0; at < networks.size(); ++at) {
    const double to = at + 1 == networks.size() ? all : from + networks[at];
    for (const Span& span : spans_of(rules, all)) {
      add(span.kind, at, std::min(to, span.to) - std::max(from, span.from));
    }
    from = to;
  }
  return sections;
}

TrainingCourse::TrainingCourse(std::vector<Stretch> stretches) : stretches_(std::move(stretches)) {
  const auto is_wrong = [](const Stretch& stretch) {
    return !(stretch.epochs > 0) || !(stretch.s_per_epoch > 0) ||
           !std::isfinite(stretch.s_per_epoch);
  };
  if (stretches_.empty() || std::any_of(stretches_.begin(), stretches_.end(), is_wrong)) {
    throw std::invalid_argument("a training without epochs, or with some that take no time");
  }
}

double TrainingCourse::seconds_at(double epochs) const {
  double seconds = 0;
  double left = epochs;
  for (const Stretch& stretch : stretches_) {
    const bool is_last = &stretch == &stretches_.back();
    const double here = is_last ? left : std::min(left, stretch.epochs);
    seconds += here * stretch.s_per_epoch;
    left -= here;
    if (left <= 0) break;
  }
  return seconds;
}

double TrainingCourse::epochs() const {
  double sum = 0;
  for (const Stretch& stretch : stretches_) sum += stretch.epochs;
  return sum;
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

using CourseOf = TrainingCourse TimedTraining::*;

/// Hours of the runs that get there, along one of the courses of the training.
std::vector<double> reached_hours(const TimedRuns& timed,
                                  CourseOf course = &TimedTraining::course) {
  std::vector<double> hours;
  for (const std::optional<double>& epochs : timed.runs) {
    if (epochs) hours.push_back(timed.training.hours_at(timed.training.*course, *epochs));
  }
  return hours;
}

double mean_hours(const TimedRuns& timed, CourseOf course = &TimedTraining::course) {
  return mean_of(reached_hours(timed, course));
}

bool is_reached(const TimedRuns& timed) {
  return !reached_hours(timed).empty();
}

/// Faster or slower where the interval excludes 1.
Verdict verdict_of(const Uncertain& speedup) {
  const bool is_clear =
      speedup.interval && (speedup.interval->low > 1 || speedup.interval->high < 1);
  if (!is_clear) return Verdict::not_told_apart;
  return speedup.value > 1 ? Verdict::faster : Verdict::slower;
}

Verdict verdict_of(const TimedRuns& dense, const TimedRuns& scheme, const SpeedupToTarget& found) {
  if (!is_reached(scheme)) return Verdict::not_reached;
  if (!found.speedup) return Verdict::dense_not_reached;
  if (dense.runs.size() < 2 || scheme.runs.size() < 2) return Verdict::one_run;
  if (found.difference->p_value >= kSignificant) return Verdict::not_told_apart;
  return verdict_of(*found.speedup);
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
  const auto behind = std::ranges::lower_bound(points, x, {}, &Point::x);
  if (behind == points.end()) return std::nullopt;
  if (behind->x == x) return behind->value;
  if (behind == points.begin()) return std::nullopt;
  const Point& before = *(behind - 1);
  return before.value + (behind->value - before.value) * (x - before.x) / (behind->x - before.x);
}

}  // namespace

std::optional<double> break_even(double dense_step_s, double scheme_step_s, double dense_steps,
                                 double once_s) {
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
  const TimedRuns timed{runs, training};
  const std::vector<double> hours = reached_hours(timed);
  if (hours.empty()) return std::nullopt;
  Uncertain found{mean_of(hours), bootstrap_interval(hours, seed), std::nullopt, std::nullopt};
  found.of_simulation =
      Interval{mean_hours(timed, &TimedTraining::least), mean_hours(timed, &TimedTraining::most)};
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
  const std::vector<double> dense_hours = reached_hours(dense);
  const std::vector<double> own_hours = reached_hours(scheme);
  if (!dense_hours.empty() && !own_hours.empty()) {
    const double own = mean_of(own_hours);
    Uncertain& speedup = found.speedup.emplace();
    speedup.value = mean_of(dense_hours) / own;
    speedup.of_curves = bootstrap_ratio_interval(dense_hours, own_hours, seed);
    speedup.of_simulation =
        Interval{speedup.value * own / mean_hours(scheme, &TimedTraining::slowest),
                 speedup.value * own / mean_hours(scheme, &TimedTraining::fastest)};
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
  if (!is_reached(scheme)) return found;
  found.verdict = Verdict::dense_not_reached;
  if (!is_reached(dense)) return found;
  const double dense_mean = mean_hours(dense);
  Uncertain& speedup = found.speedup.emplace();
  speedup.value = dense_mean / mean_hours(scheme);
  speedup.of_simulation = Interval{dense_mean / mean_hours(scheme, &TimedTraining::slowest),
                                   dense_mean / mean_hours(scheme, &TimedTraining::fastest)};
  speedup.of_curves = Interval{speedup.value / factor.high, speedup.value / factor.low};
  speedup.interval = combined(speedup.value, speedup.of_curves, speedup.of_simulation);
  found.verdict = verdict_of(speedup);
  return found;
}

WithinBudget within_budget(const std::vector<std::vector<Point>>& curves,
                           const EpochsToTarget& runs, const TimedTraining& training,
                           double budget_hours, std::uint64_t seed) {
  const auto is_in_time = [&](double epochs) { return training.hours_at(epochs) <= budget_hours; };
  WithinBudget found{curves.size(), 0, std::nullopt};
  std::vector<double> values;
  for (const std::vector<Point>& points : curves) {
    const auto late = std::ranges::find_if_not(points, is_in_time, &Point::x);
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
