#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "curves/time_to_accuracy.hpp"
#include "reports/tta/timed_trainings.hpp"
#include "reports/tta/tta_evidence.hpp"
#include "reports/tta/tta_run.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

/// Of the own trainings that are nearest to a language model.
constexpr const char* kOwnTask = "text";

bool has_points(const TtaCurves* curves) {
  return curves != nullptr && curves->has_points();
}

/// Epochs of the longest run; nothing without curves.
std::optional<double> longest_run(const TtaCurves* curves) {
  if (!has_points(curves)) return std::nullopt;
  double longest = 0;
  for (const auto& points : curves->runs) longest = std::max(longest, points.back().x);
  return longest;
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

/// Adds what is not known of the epochs to the interval of the hours.
void widen(const curves::Interval& factor, curves::Uncertain& hours) {
  const curves::Interval of_loss{hours.value * factor.low, hours.value * factor.high};
  hours.of_curves = combined(hours.value, hours.of_curves, of_loss);
  hours.interval = combined(hours.value, hours.of_curves, hours.of_simulation);
}

/// The results of one machine.
class MachineAnalysis {
 public:
  MachineAnalysis(TtaSummary& summary, const TtaPublished& published, std::string machine)
      : summary_(summary),
        question_(summary.question),
        seed_(question_.curves.seed),
        published_(published),
        machine_(std::move(machine)) {}

  void run(const Experiment& experiment, const std::vector<StepTime>& times) {
    for (const Scheme& scheme : experiment.schemes) {
      trainings_.emplace_back(
          scheme.name, compose_training(summary_, times, machine_, scheme, length_of(scheme.name)));
    }
    if (training_of(std::string(kBaselineScheme)) == nullptr) return note_failed(kBaselineScheme);
    const std::size_t first = summary_.results.size();
    for (std::size_t at = 0; at < trainings_.size(); ++at) {
      const auto& [name, training] = trainings_[at];
      if (training) add_result(experiment.schemes[at], *training, at);
      if (!training) note_failed(name);
    }
    add_front(summary_, machine_, first);
    for (const SchemePair& pair : summary_.config.pairs) add_comparison(pair);
    for (const MeasuredTraining& measured : summary_.config.measured) add_measured(measured);
  }

 private:
  /// Null if it could not be simulated.
  [[nodiscard]] const ComposedTraining* training_of(const std::string& scheme) const {
    for (const auto& [name, training] : trainings_) {
      if (name == scheme && training) return &*training;
    }
    return nullptr;
  }

  void note_failed(std::string_view scheme) {
    summary_.notes.push_back(
        fmt::format("{} on {}: a step could not be simulated", scheme, machine_));
  }

  /// As the file says; else the longest run; else that of what it is compared with.
  [[nodiscard]] std::optional<double> length_of(const std::string& scheme) const {
    if (summary_.config.epochs) return summary_.config.epochs;
    if (const auto own = longest_run(summary_.curves_of(scheme))) return own;
    return longest_run(summary_.curves_of(summary_.config.training_of(scheme).against));
  }

  void add_result(const Scheme& scheme, const ComposedTraining& training, std::size_t place) {
    TtaResult result;
    result.machine = machine_;
    result.scheme = scheme.name;
    result.against = summary_.config.training_of(scheme.name).against;
    result.curves = summary_.curves_of(scheme.name);
    result.step = training.step;
    result.parts = training.parts;
    const ComposedTraining& dense = *training_of(std::string(kBaselineScheme));
    result.break_even =
        curves::break_even(dense.step.ms, training.step.ms, dense.steps, training.before_s * 1000);
    if (training.is_length_known) result.training_hours = training.timed.hours();
    const std::string& network = summary_.config.schedule.front().network;
    result.published = published_of(published_.finals, scheme, network, question_.curves.metric);
    if (summary_.is_of_ends()) {
      result.own = curves::trained_loss(published_.trained, kOwnTask, scheme.name);
    }
    const TtaCurves* const other = summary_.curves_of(result.against);
    if (result.curves == nullptr) result.compared.verdict = curves::Verdict::unknown;
    if (question_.curves.target && result.curves != nullptr) {
      time_curves(other, training, result);
    } else if (question_.curves.target && has_points(other)) {
      predict(*other, training, result);
    }
    if (scheme.name == kBaselineScheme) {
      result.compared.verdict = curves::Verdict::baseline;
    } else if (has_points(result.curves) && has_points(other)) {
      result.final_difference = difference_of_finals(other->figures, result.curves->figures, seed_);
    }
    if (has_points(result.curves)) add_points(training, place, result);
    if (summary_.is_of_ends() && result.predicted) add_ends(training, place, result);
    add_most_loss(training.timed.hours() / dense.timed.hours(), result);
    result.evidence = evidence_of(result, summary_.config, has_points(other));
    summary_.results.push_back(std::move(result));
  }

  void time_curves(const TtaCurves* other, const ComposedTraining& training,
                   TtaResult& result) const {
    const TtaCurves& own = *result.curves;
    result.runs = own.to_target.size();
    result.to_target = own.figures.first_crossing->when;
    fill_times(own.to_target, training, result);
    if (own.is_of_ends && result.hours && training.is_length_known) {
      const double factor = std::pow(own.to_target.front().value() / training.timed.course.epochs(),
                                     curves::kLengthError);
      widen({factor, 1 / factor}, *result.hours);
    }
    const ComposedTraining* const base = training_of(result.against);
    result.compared.verdict = curves::Verdict::unknown;
    if (other != nullptr && base != nullptr && result.scheme != result.against) {
      result.compared = curves::speedup_to_target({other->to_target, base->timed},
                                                  {own.to_target, training.timed}, seed_);
    }
  }

  /// What a dense training loses that is such a part of the whole one's length.
  void add_most_loss(double part, TtaResult& result) const {
    if (!summary_.is_of_ends() || !summary_.config.is_of_loss()) return;
    const TtaCurves& ends = *summary_.curves_of(std::string(kBaselineScheme));
    const double length = std::clamp(part, curves::kShortestLength, 1.0);
    result.most_loss =
        ends.figures.final_value.mean * (std::pow(length, -curves::kLengthExponent) - 1);
  }

  /// Its end in the file, else what was published.
  [[nodiscard]] std::optional<curves::LossAtEnd> loss_of(const TtaResult& result,
                                                         const curves::Curve& dense) const {
    const auto& end = summary_.config.training_of(result.scheme).end;
    if (!end && !result.published) return std::nullopt;
    const double equal_runs =
        curves::difference_of_equal_runs(published_.seeds, summary_.config.schedule.front().network,
                                         end ? question_.curves.metric : result.published->metric);
    if (!end) return curves::published_loss(*result.published, dense, equal_runs);
    const double loss =
        (dense.points.back().value - *end) * (question_.curves.lower_is_better ? -1 : 1);
    return curves::LossAtEnd{loss, {loss - equal_runs, loss + equal_runs}};
  }

  /// How far off the form of the curve may be: of lengths, by their law.
  [[nodiscard]] double form_error(const curves::Curve& dense, const curves::LossAtEnd& loss,
                                  double other_x) const {
    if (!summary_.is_of_ends()) return curves::kLossFormError;
    const auto x = curves::predict_crossing(dense, target(), loss, 0).x;
    return x ? curves::kLengthError * std::abs(std::log(*x / other_x)) : 0;
  }

  [[nodiscard]] curves::Target target() const {
    return {*question_.curves.target, question_.curves.lower_is_better};
  }

  /// By the loss at its end, run by run of the other one, which has curves.
  void predict(const TtaCurves& other, const ComposedTraining& training, TtaResult& result) const {
    const curves::Curve dense = mean_of(other, question_);
    const auto loss = loss_of(result, dense);
    if (!loss) return;
    const auto other_x = curves::smoothed_crossing(dense, target(), 1);
    const double off = form_error(dense, *loss, other_x.value_or(dense.points.back().x));
    result.predicted = TtaPrediction{*loss, curves::predict_crossing(dense, target(), *loss, off)};
    const PredictedRuns runs = predicted_runs(other, question_, result.predicted->crossing);
    result.runs = runs.to_target.size();
    const curves::EpochsToTarget epochs = summary_.epochs_of(runs.to_target);
    fill_times(epochs, training, result);
    result.to_target = spread_of_reached(runs.to_target, seed_);
    const ComposedTraining* const base = training_of(result.against);
    if (base == nullptr) return;
    result.compared = curves::speedup_of_predicted({other.to_target, base->timed},
                                                   {epochs, training.timed}, runs.factor);
    if (result.hours) widen(runs.factor, *result.hours);
  }

  /// Of a scheme whose loss is known, where trainings of any length end.
  void add_ends(const ComposedTraining& training, std::size_t place, TtaResult& result) const {
    const curves::Curve dense = mean_of(*summary_.curves_of(result.against), question_);
    const curves::Curve ends =
        curves::lowered(dense, result.predicted->loss.value, question_.curves.lower_is_better);
    for (const curves::Point& point : ends.points) {
      const double epochs = summary_.epochs_of(point.x, question_.over);
      result.points.push_back({training.timed.hours_at(epochs), point.value, place});
    }
  }

  void fill_times(const curves::EpochsToTarget& runs, const ComposedTraining& training,
                  TtaResult& result) const {
    result.epochs_to_target = spread_of_reached(runs, seed_);
    result.reached = result.epochs_to_target ? result.epochs_to_target->count : 0;
    result.hours = curves::hours_to_target(runs, training.timed, seed_);
  }

  void add_points(const ComposedTraining& training, std::size_t place, TtaResult& result) const {
    if (question_.budget_hours) {
      result.within_budget = curves::within_budget(result.curves->runs, result.curves->to_target,
                                                   training.timed, *question_.budget_hours, seed_);
    }
    for (const curves::MeanPoint& point : result.curves->mean) {
      const double epochs = summary_.epochs_of(point.x, question_.over);
      result.points.push_back({training.timed.hours_at(epochs), point.mean, place});
    }
  }

  void add_comparison(const SchemePair& pair) {
    const ComposedTraining* const own = training_of(pair.scheme);
    const ComposedTraining* const other = training_of(pair.against);
    if (!pair.asks_for_time() || own == nullptr || other == nullptr) return;
    summary_.comparisons.push_back({machine_, pair, other->step.ms / own->step.ms,
                                    other->step.pruning_free_ms / own->step.pruning_free_ms});
  }

  void add_measured(const MeasuredTraining& measured) {
    const ComposedTraining* const own = training_of(measured.scheme);
    if (measured.machine != machine_ || own == nullptr) return;
    const curves::TimedTraining& timed = own->timed;
    const double epochs = summary_.epochs_of(measured.x, question_.over);
    summary_.measured.push_back(
        {measured,
         timed.hours_at(epochs),
         {timed.hours_at(timed.least, epochs), timed.hours_at(timed.most, epochs)}});
  }

  TtaSummary& summary_;
  const TtaQuestion& question_;
  std::uint64_t seed_;
  const TtaPublished& published_;
  std::string machine_;
  std::vector<std::pair<std::string, std::optional<ComposedTraining>>> trainings_;
};

}  // namespace

void analyse_tta(TtaSummary& summary, const Experiment& experiment,
                 const std::vector<StepTime>& times, const TtaPublished& published) {
  for (const Scheme& scheme : experiment.schemes) summary.schemes.push_back(scheme.name);
  for (const SchemePair& pair : summary.config.pairs) {
    const TtaCurves* const own = summary.curves_of(pair.scheme);
    const TtaCurves* const other = summary.curves_of(pair.against);
    if (!has_points(own) || !has_points(other)) continue;
    const std::uint64_t seed = summary.question.curves.seed;
    summary.orderings.push_back({pair, difference_of_finals(other->figures, own->figures, seed)});
  }
  summary.others =
      published_of_others(published.finals, experiment.schemes,
                          summary.config.schedule.front().network, summary.question.curves.metric);
  for (const MachineSpec& machine : experiment.machines) {
    MachineAnalysis(summary, published, machine.name).run(experiment, times);
  }
}

}  // namespace stcsim
