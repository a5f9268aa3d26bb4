#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "curves/analysis.hpp"
#include "curves/published.hpp"
#include "curves/time_to_accuracy.hpp"
#include "reports/tta/tta_config.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// What is asked of all curves.
struct TtaQuestion {
  /// Of curves.target: "" where no scheme has curves.
  curves::AnalysisOptions curves;
  curves::Axis over = curves::Axis::epochs;
  std::optional<double> budget_hours;
  /// The target was asked for as so many points below where dense training ends; negative: so much
  /// above, where lower is better.
  std::optional<double> points_below_dense;
};

/// The curves of one scheme, which are the same on every machine.
struct TtaCurves {
  std::string scheme;
  curves::SetFigures figures;
  /// Over epochs: the points of every run, and where it reaches the target.
  std::vector<std::vector<curves::Point>> runs;
  curves::EpochsToTarget to_target;
  /// In the unit of the curves.
  std::vector<curves::MeanPoint> mean;
  /// Who published the runs, if only their way to the target is known; else "".
  std::string published_by;
  /// Points are ends of trainings of that length (curves::ends_by_length), or the only end known.
  bool is_of_ends = false;

  [[nodiscard]] bool has_points() const { return !runs.empty(); }
};

/// A section of a training, as it is simulated on one machine.
struct TtaPart {
  curves::SectionKind kind = curves::SectionKind::dense;
  std::string network;
  std::optional<double> epochs;
  /// Of the steps of the training, without a dense training before it.
  double share = 0;
  double step_ms = 0;
  curves::Interval between;
};

/// The mean of a training's steps on one machine, as simulated.
struct TtaStep {
  double ms = 0;
  curves::Interval between;
  /// One in which the scheme is sparse; the mean without pruning.
  double sparse_ms = 0;
  double pruning_free_ms = 0;
  /// What one board draws for it; 0 if its machine does not say.
  double joules = 0;
  double speedup = 1;
  curves::Interval speedup_between;
};

/// What the loss that a training ends with says of its way to the target.
struct TtaPrediction {
  curves::LossAtEnd loss;
  curves::PredictedCrossing crossing;
};

/// A scheme on a machine.
struct TtaResult {
  std::string machine;
  std::string scheme;
  /// Whose hours and final values it is compared with.
  std::string against;
  TtaStep step;
  std::vector<TtaPart> parts;
  /// What the mean of a training's steps gains with other software; none where the schedule has
  /// several networks.
  std::vector<StackGain> beside;
  std::optional<double> break_even;
  /// Of a whole training, if its length is known.
  std::optional<double> training_hours;
  /// Runs, and those that reach the target; as predicted of dense's if no curve is known.
  std::size_t runs = 0;
  std::size_t reached = 0;
  /// What a published loss at the end says of a scheme without curves; in the unit of the curves.
  std::optional<TtaPrediction> predicted;
  /// In the unit of the curves, and in epochs.
  std::optional<curves::Spread> to_target;
  std::optional<curves::Spread> epochs_to_target;
  std::optional<curves::Uncertain> hours;
  curves::SpeedupToTarget compared;
  std::optional<curves::WithinBudget> within_budget;
  /// Final values less those of `against`.
  std::optional<curves::Difference> final_difference;
  const TtaCurves* curves = nullptr;
  std::optional<curves::PublishedFinal> published;
  std::optional<bool> is_on_front;
  /// By how much worse than dense own small trainings on text end (nats a byte).
  std::optional<curves::LossAtEnd> own;
  /// By how much worse than dense the scheme may end and still beat a dense training of its hours.
  std::optional<double> most_loss;
  std::string evidence;
  /// The mean curve over hours.
  std::vector<curves::TimedValue> points;

  [[nodiscard]] bool has_points() const { return curves != nullptr && curves->has_points(); }
  /// What so many boards draw up to the target; nothing where that or its time is not known.
  [[nodiscard]] std::optional<double> kilowatt_hours(std::int64_t devices) const {
    if (!hours || step.joules == 0) return std::nullopt;
    return static_cast<double>(devices) * hours->value * step.joules / step.ms;
  }
};

struct TtaFront {
  std::string machine;
  std::vector<curves::TimedValue> points;  // `of` is the scheme's place in the experiment
};

struct TtaComparison {
  std::string machine;
  SchemePair pair;
  double step_ratio = 1;
  double step_ratio_pruning_free = 1;

  /// How many times the other's epochs the scheme takes at such a ratio if it saves the published
  /// time; nothing without one.
  [[nodiscard]] std::optional<double> implied_epochs(double ratio) const {
    if (!pair.published_less_time) return std::nullopt;
    return (1 - *pair.published_less_time) * ratio;
  }
};

/// Final values of one scheme of a pair less those of the other; where both have curves.
struct TtaOrdering {
  SchemePair pair;
  curves::Difference final_value;
};

struct TtaMeasured {
  MeasuredTraining measured;
  double simulated_hours = 0;
  curves::Interval between;
};

/// What `stcsim tta` has to say.
struct TtaSummary {
  TtaSummary() = default;
  TtaSummary(TtaSummary&&) = default;  // results point into it
  TtaSummary& operator=(TtaSummary&&) = default;
  TtaSummary(const TtaSummary&) = delete;
  TtaSummary& operator=(const TtaSummary&) = delete;
  ~TtaSummary() = default;

  /// Null where the scheme has none.
  [[nodiscard]] const TtaCurves* curves_of(const std::string& scheme) const;
  /// Whether trainings are as long as they have to be, rather than stopped on the way.
  [[nodiscard]] bool is_of_ends() const {
    const TtaCurves* const dense = curves_of(std::string(kBaselineScheme));
    return dense != nullptr && dense->is_of_ends;
  }
  /// Epochs that so much training is.
  /// @throws ConfigError if a step is not the same number of samples all along
  [[nodiscard]] double epochs_of(double x, curves::Axis axis) const;
  [[nodiscard]] curves::EpochsToTarget epochs_of(const curves::EpochsToTarget& x) const;

  TtaConfig config;
  /// Samples a step on one device, of every network by name.
  std::map<std::string, std::int64_t> batches;
  TtaQuestion question;
  std::vector<std::string> schemes;
  std::vector<TtaCurves> curves;  // results point to them
  std::vector<TtaResult> results;
  std::vector<TtaFront> fronts;
  std::vector<TtaComparison> comparisons;
  std::vector<TtaOrdering> orderings;
  std::vector<TtaMeasured> measured;
  /// What was published of the network with methods that the experiment does not have.
  std::vector<std::string> others;
  std::vector<std::string> notes;
  /// As JSON texts: the experiment and what it says of trainings; their hash.
  std::string resolved_experiment;
  std::string resolved_config;
  std::string config_hash;
};

}  // namespace stcsim
