#include <algorithm>

#include <fmt/format.h>

#include "curves/time_to_accuracy.hpp"
#include "reports/tta/timed_trainings.hpp"
#include "reports/tta/tta_evidence.hpp"
#include "reports/tta/tta_run.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

using Batches = std::map<std::string, std::int64_t>;

const TtaCurves* curves_of_scheme(const TtaSummary& summary, const std::string& scheme) {
  for (const TtaCurves& curves : summary.curves) {
    if (curves.scheme == scheme) return &curves;
  }
  return nullptr;
}

/// Epochs of the longest run; nothing without curves.
std::optional<double> longest_run(const TtaCurves* curves) {
  if (curves == nullptr || !curves->has_points()) return std::nullopt;
  double longest = 0;
  for (const auto& points : curves->runs) longest = std::max(longest, points.back().x);
  return longest;
}

bool has_points(const TtaCurves* curves) {
  return curves != nullptr && curves->has_points();
}

std::optional<curves::Spread> spread_of_reached(const curves::EpochsToTarget& runs,
                                                std::uint64_t seed) {
  std::vector<double> reached;
  for (const std::optional<double>& x : runs) {
    if (x) reached.push_back(*x);
  }
  if (reached.empty()) return std::nullopt;
  return curves::spread_of(reached, seed);
}

/// The results of one machine.
class MachineAnalysis {
 public:
  MachineAnalysis(TtaSummary& summary, const Experiment& experiment,
                  const TrainingComposer& composer,
                  const std::vector<curves::PublishedFinal>& published, std::string machine)
      : summary_(summary),
        experiment_(experiment),
        composer_(composer),
        published_(published),
        equal_runs_(curves::distance_of_equal_runs(published)),
        machine_(std::move(machine)) {}

  void run() {
    for (const Scheme& scheme : experiment_.schemes) {
      trainings_.push_back(composer_.compose(machine_, scheme, length_of(scheme)));
      if (scheme.name == kBaselineScheme) dense_at_ = trainings_.size() - 1;
    }
    if (!trainings_[dense_at_]) return note_failed(experiment_.schemes[dense_at_].name);
    const std::size_t first = summary_.results.size();
    for (std::size_t at = 0; at < trainings_.size(); ++at) {
      if (trainings_[at]) add_result(experiment_.schemes[at], *trainings_[at], at);
      if (!trainings_[at]) note_failed(experiment_.schemes[at].name);
    }
    add_front(summary_, machine_, first);
    for (const SchemePair& pair : summary_.config.pairs) add_comparison(pair);
    for (const MeasuredTraining& measured : summary_.config.measured) add_measured(measured);
  }

 private:
  [[nodiscard]] const ComposedTraining& dense() const { return *trainings_[dense_at_]; }

  [[nodiscard]] const ComposedTraining* training_of(const std::string& scheme) const {
    for (std::size_t at = 0; at < trainings_.size(); ++at) {
      if (experiment_.schemes[at].name == scheme && trainings_[at]) return &*trainings_[at];
    }
    return nullptr;
  }

  void note_failed(const std::string& scheme) {
    summary_.notes.push_back(
        fmt::format("{} on {}: a step could not be simulated", scheme, machine_));
  }

  /// As the file says; else the longest run; else that of what it is compared with.
  [[nodiscard]] std::optional<double> length_of(const Scheme& scheme) const {
    if (summary_.config.epochs) return summary_.config.epochs;
    const auto own = longest_run(curves_of_scheme(summary_, scheme.name));
    if (own) return own;
    return longest_run(
        curves_of_scheme(summary_, summary_.config.training_of(scheme.name).against));
  }

  void add_result(const Scheme& scheme, const ComposedTraining& training, std::size_t place) {
    TtaResult result;
    result.machine = machine_;
    result.scheme = scheme.name;
    result.against = summary_.config.training_of(scheme.name).against;
    result.curves = curves_of_scheme(summary_, scheme.name);
    const TtaCurves* const other = curves_of_scheme(summary_, result.against);
    describe_steps(training, result);
    const std::string& network = summary_.config.schedule.front().network;
    result.published = published_of(published_, scheme, network);
    const bool has_target = summary_.question.curves.target.has_value();
    if (has_target && result.curves != nullptr) time_curves(training, result);
    if (result.curves == nullptr) {
      result.compared.verdict = curves::Verdict::unknown;
      if (has_target && has_points(other)) predict(*other, training, result);
    }
    if (scheme.name == kBaselineScheme) {
      result.compared.verdict = curves::Verdict::baseline;
    } else if (has_points(result.curves) && has_points(other)) {
      result.final_difference = difference_of_finals(*other, *result.curves, seed());
    }
    if (has_points(result.curves)) add_points(training, place, result);
    result.evidence = evidence_of(result, summary_.config, has_points(other));
    summary_.results.push_back(std::move(result));
  }

  void describe_steps(const ComposedTraining& training, TtaResult& result) const {
    result.step_ms = training.step_ms;
    result.step_between = training.step_between;
    result.pruning_free_step_ms = training.pruning_free_step_ms;
    result.parts = training.parts;
    result.sparse_step_ms = training.step_ms;
    for (const TtaPart& part : training.parts) {
      if (part.kind == curves::SectionKind::sparse) result.sparse_step_ms = part.step_ms;
    }
    result.step_speedup = training.step_speedup;
    result.step_speedup_between = training.step_speedup_between;
    result.break_even = curves::break_even(dense().step_ms, training.step_ms, dense().steps,
                                           training.before_s * 1000);
    if (training.is_length_known) {
      result.training_hours = training.timed.hours();
    }
  }

  [[nodiscard]] std::uint64_t seed() const { return summary_.question.curves.seed; }

  void time_curves(const ComposedTraining& training, TtaResult& result) const {
    const TtaCurves& own = *result.curves;
    result.runs = own.to_target.size();
    result.to_target = own.figures.first_crossing->when;
    fill_times(own.to_target, training, result);
    const TtaCurves* const other = curves_of_scheme(summary_, result.against);
    const ComposedTraining* const base = training_of(result.against);
    result.compared.verdict = curves::Verdict::unknown;
    if (other != nullptr && base != nullptr && result.scheme != result.against) {
      result.compared = curves::speedup_to_target({other->to_target, base->timed},
                                                  {own.to_target, training.timed}, seed());
    }
    if (summary_.question.curves.extrapolate) extrapolate(own, training, result);
  }

  /// By the published loss at its end, run by run of the other one, which has curves.
  void predict(const TtaCurves& other, const ComposedTraining& training, TtaResult& result) const {
    const TtaQuestion& question = summary_.question;
    if (!result.published || question.curves.lower_is_better) return;
    const curves::Curve dense = mean_of(other, question);
    const auto loss = curves::published_loss(*result.published, dense, equal_runs_);
    if (!loss) return;
    const double target = *question.curves.target;
    result.predicted = TtaPrediction{*loss, curves::predict_crossing(dense, target, *loss)};
    const PredictedRuns runs = predicted_runs(other, question, result.predicted->crossing);
    result.runs = runs.to_target.size();
    curves::EpochsToTarget epochs;
    for (const std::optional<double>& x : runs.to_target) {
      epochs.push_back(x ? std::optional(epochs_of(*x, question.over, summary_.config, batches()))
                         : std::nullopt);
    }
    fill_times(epochs, training, result);
    result.to_target = spread_of_reached(runs.to_target, seed());
    const ComposedTraining* const base = training_of(result.against);
    if (base == nullptr) return;
    result.compared = curves::speedup_of_predicted({other.to_target, base->timed},
                                                   {epochs, training.timed}, runs.factor);
    widen(runs.factor, result);
  }

  /// Adds what is not known of the epochs to the interval of the hours.
  static void widen(const curves::Interval& factor, TtaResult& result) {
    if (!result.hours) return;
    curves::Uncertain& hours = *result.hours;
    const curves::Interval of_loss{hours.value * factor.low, hours.value * factor.high};
    hours.of_curves = combined(hours.value, hours.of_curves, of_loss);
    hours.interval = combined(hours.value, hours.of_curves, hours.of_simulation);
  }

  void fill_times(const curves::EpochsToTarget& runs, const ComposedTraining& training,
                  TtaResult& result) const {
    result.epochs_to_target = spread_of_reached(runs, seed());
    result.reached = result.epochs_to_target ? result.epochs_to_target->count : 0;
    result.hours = curves::hours_to_target(runs, training.timed, seed());
  }

  void extrapolate(const TtaCurves& own, const ComposedTraining& training,
                   TtaResult& result) const {
    std::vector<double> x;
    for (const curves::RunFigures& run : own.figures.runs) {
      const auto& crossing = run.first_crossing ? run.first_crossing : run.extrapolated_crossing;
      if (crossing) x.push_back(*crossing);
    }
    if (x.size() == result.reached) return;
    result.extrapolated_to_target = curves::spread_of(x, seed());
    result.extrapolated_hours =
        curves::hours_to_target(own.extrapolated, training.timed, seed())->value;
  }

  void add_points(const ComposedTraining& training, std::size_t place, TtaResult& result) const {
    const TtaQuestion& question = summary_.question;
    if (question.budget_hours) {
      result.within_budget = curves::within_budget(result.curves->runs, result.curves->to_target,
                                                   training.timed, *question.budget_hours, seed());
    }
    for (const curves::MeanPoint& point : result.curves->mean) {
      const double epochs = epochs_of(point.x, question.over, summary_.config, batches());
      result.points.push_back({training.timed.hours_at(epochs), point.mean, place});
    }
  }

  [[nodiscard]] Batches batches() const { return batches_of(experiment_); }

  void add_comparison(const SchemePair& pair) {
    if (!pair.asks_for_time()) return;
    const ComposedTraining* const own = training_of(pair.scheme);
    const ComposedTraining* const other = training_of(pair.against);
    if (own == nullptr || other == nullptr) return;
    summary_.comparisons.push_back(comparison_of(machine_, pair, *own, *other));
  }

  void add_measured(const MeasuredTraining& measured) {
    const ComposedTraining* const own = training_of(measured.scheme);
    if (measured.machine != machine_ || own == nullptr) return;
    summary_.measured.push_back(
        measured_of(measured, own->timed,
                    epochs_of(measured.x, summary_.question.over, summary_.config, batches())));
  }

  TtaSummary& summary_;
  const Experiment& experiment_;
  const TrainingComposer& composer_;
  const std::vector<curves::PublishedFinal>& published_;
  double equal_runs_;
  std::string machine_;
  std::vector<std::optional<ComposedTraining>> trainings_;  // by scheme
  std::size_t dense_at_ = 0;
};

}  // namespace

std::map<std::string, std::int64_t> batches_of(const Experiment& experiment) {
  Batches batches;
  for (const Network& network : experiment.networks) batches[network.name] = network.batch;
  return batches;
}

void analyse_tta(TtaSummary& summary, const Experiment& experiment,
                 const std::vector<StepTime>& times,
                 const std::vector<curves::PublishedFinal>& published) {
  const Batches batches = batches_of(experiment);
  const TrainingComposer composer(summary.config, times, batches);
  for (const Scheme& scheme : experiment.schemes) summary.schemes.push_back(scheme.name);
  for (const SchemePair& pair : summary.config.pairs) {
    const TtaCurves* const own = curves_of_scheme(summary, pair.scheme);
    const TtaCurves* const other = curves_of_scheme(summary, pair.against);
    if (!has_points(own) || !has_points(other)) continue;
    const std::uint64_t seed = summary.question.curves.seed;
    summary.orderings.push_back({pair, difference_of_finals(*other, *own, seed)});
  }
  for (const MachineSpec& machine : experiment.machines) {
    MachineAnalysis(summary, experiment, composer, published, machine.name).run();
  }
}

}  // namespace stcsim
