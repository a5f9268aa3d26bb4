#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "curves/run.hpp"
#include "curves/statistics.hpp"

namespace stcsim::curves {

/// Why the steps of a section of a training are dense or sparse.
enum class SectionKind : std::uint8_t {
  dense_before,  // a whole dense training, before the one whose epochs count
  warm_up,       // dense, whatever the scheme does
  sparse,
  dense
};

/// "dense before", "warm-up", "sparse", "dense"
[[nodiscard]] std::string_view to_string(SectionKind kind);

/// Epochs of a training whose steps are all alike.
struct Section {
  SectionKind kind = SectionKind::dense;
  /// Which of the networks of the schedule is trained (other resolution, other batch).
  std::size_t network = 0;
  double epochs = 0;

  friend bool operator==(const Section&, const Section&) = default;
};

/// When a scheme is sparse.
struct SectionRules {
  /// Part of the training's epochs; 0: dense training.
  double sparse_share = 0;
  /// The dense epochs come first, rather than last.
  bool dense_first = false;
  /// A dense training of the same length comes before.
  bool dense_before = false;
  /// These many epochs run dense even where the scheme would be sparse.
  double warm_up_epochs = 0;
};

/// The sections of a training, in order; none without epochs.
/// @param networks epochs that each network of the schedule is trained for, one after the other
[[nodiscard]] std::vector<Section> sections_of(const SectionRules& rules,
                                               const std::vector<double>& networks);

/// Epochs that all take the same time.
struct Stretch {
  double epochs = 0;
  double s_per_epoch = 0;  // seconds
};

/// The time a training has taken after so many epochs: its stretches one after the other. What
/// comes behind the last of them takes as long per epoch as that one.
class TrainingCourse {
 public:
  /// @throws std::invalid_argument unless there is a stretch, and all are positive
  explicit TrainingCourse(std::vector<Stretch> stretches);

  [[nodiscard]] double seconds_at(double epochs) const;
  /// The epochs of all stretches.
  [[nodiscard]] double epochs() const;
  [[nodiscard]] double seconds() const { return seconds_at(epochs()); }

 private:
  std::vector<Stretch> stretches_;
};

/// The factor by which more steps (or epochs, at the same batch) than dense training a scheme may
/// take and still be done no later: 1.2 says that it wins if it needs less than 20 % more. Against
/// a dense training of so many steps; the scheme takes `once_s` besides its steps (a first
/// training, a search for masks). Nothing if that alone takes longer than the dense training.
[[nodiscard]] std::optional<double> break_even(double dense_step_s, double scheme_step_s,
                                               double dense_steps, double once_s);

/// One way of training on one machine: how long it takes after so many epochs, and between what
/// that lies if simulated times are as far off as validated ones are.
struct TimedTraining {
  TrainingCourse course;
  /// All times as short, and as long, as they may be.
  TrainingCourse least;
  TrainingCourse most;
  /// Times as short, and as long, as they may be against those of dense training.
  TrainingCourse fastest;
  TrainingCourse slowest;
  /// Epochs of the course that were over when the epochs of the curves began to count.
  double epochs_before = 0;

  [[nodiscard]] double hours_at(const TrainingCourse& one, double epochs) const;
  [[nodiscard]] double hours_at(double epochs) const { return hours_at(course, epochs); }
  /// The whole course's hours.
  [[nodiscard]] double hours() const;
};

/// Epochs that each run took to a target; nothing where it never got there.
using EpochsToTarget = std::vector<std::optional<double>>;

/// A figure and what is known of where it lies.
struct Uncertain {
  double value = 0;
  /// By the seeds, and by the simulated times; both together.
  std::optional<Interval> of_curves;
  std::optional<Interval> of_simulation;
  std::optional<Interval> interval;
};

/// Two independent intervals of a positive value in one: the distances of their ends from the
/// value, in logarithms, add up in quadrature. Of intervals that do not hold the value, the nearer
/// end counts as the value itself. The other one if one is not known.
[[nodiscard]] std::optional<Interval> combined(double value, const std::optional<Interval>& first,
                                               const std::optional<Interval>& second);

/// Hours to the target: of the runs that reach it; nothing if none does. The interval is that of
/// the seeds (bootstrap over the runs' hours) and of the simulated times together, none for one
/// run.
[[nodiscard]] std::optional<Uncertain> hours_to_target(const EpochsToTarget& runs,
                                                       const TimedTraining& training,
                                                       std::uint64_t seed);

/// Whether a scheme gets to a target before dense training does.
enum class Verdict : std::uint8_t {
  baseline,
  faster,
  slower,
  not_told_apart,
  one_run,            // of either: what another seed would do is not known
  not_reached,        // by any run of the scheme
  dense_not_reached,  // by any run of dense training, though by some of the scheme
  unknown             // neither a curve of it nor its loss at the end is known
};
/// "faster", "cannot be told apart", ...
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// A training and what its runs did.
struct TimedRuns {
  const EpochsToTarget& runs;
  const TimedTraining& training;
};

struct SpeedupToTarget {
  /// Mean hours of dense runs over mean hours of the scheme's, of those that reach it.
  std::optional<Uncertain> speedup;
  /// The difference of the runs' hours (of ranks where some never reach it).
  std::optional<Difference> difference;
  Verdict verdict = Verdict::not_reached;
};

/// Faster or slower if both chance and errors of the simulation leave no doubt: p below 0.05, and
/// an interval of the speedup that excludes 1.
[[nodiscard]] SpeedupToTarget speedup_to_target(const TimedRuns& dense, const TimedRuns& scheme,
                                                std::uint64_t seed);

/// The same if the scheme's runs are those of dense training, seed by seed, each so many times as
/// long: the seeds' noise is then the same, and the interval that of the simulation and of that
/// factor, whose high end may be infinite. Its verdict has no p-value.
/// @param factor  between what the factor that the scheme's runs were made with lies, of it
[[nodiscard]] SpeedupToTarget speedup_of_predicted(const TimedRuns& dense, const TimedRuns& scheme,
                                                   const Interval& factor);

/// The last values of runs when the budget was over.
struct WithinBudget {
  std::size_t runs = 0;
  /// Runs that reach the target in that time.
  std::size_t reached = 0;
  /// Nothing if no run had measured anything.
  std::optional<Spread> value;
};
/// @param curves over epochs, as many as `runs`
[[nodiscard]] WithinBudget within_budget(const std::vector<std::vector<Point>>& curves,
                                         const EpochsToTarget& runs, const TimedTraining& training,
                                         double budget_hours, std::uint64_t seed);

/// A value that a way of training (a scheme, by its number) has after some time.
struct TimedValue {
  double hours = 0;
  double value = 0;
  std::size_t of = 0;

  friend bool operator==(const TimedValue&, const TimedValue&) = default;
};

/// The Pareto front: the places of those that no other beats, by costing no more of anything and
/// less of something. In the order of their costs. Of equal ones all stay.
[[nodiscard]] std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& costs);

/// Points that no other point beats, by being at least as good in no more time, and better in one
/// of both. In the order of time.
[[nodiscard]] std::vector<TimedValue> pareto_front(const std::vector<TimedValue>& points,
                                                   bool lower_is_better);

/// Whether another way of training has a point that beats this one.
[[nodiscard]] bool is_beaten(const TimedValue& point, const std::vector<TimedValue>& points,
                             bool lower_is_better);

/// The mean of several curves: at every x of any of them, of those that have begun and not ended by
/// then, on straight lines between their points.
struct MeanPoint {
  double x = 0;
  std::size_t runs = 0;
  double mean = 0;
  double least = 0;
  double most = 0;
};
[[nodiscard]] std::vector<MeanPoint> mean_curve(const std::vector<std::vector<Point>>& curves);

}  // namespace stcsim::curves
