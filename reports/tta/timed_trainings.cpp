#include "reports/tta/timed_trainings.hpp"

#include <algorithm>
#include <utility>

namespace stcsim {
namespace {

constexpr double kUsPerMs = 1000;
constexpr double kMsPerSecond = 1000;

using curves::SectionKind;
using StepMs = double StepTime::*;

struct TimedSection {
  curves::Section section;
  const StepTime* step = nullptr;
  double steps_per_epoch = 0;

  [[nodiscard]] bool is_before() const { return section.kind == SectionKind::dense_before; }
  [[nodiscard]] double steps() const { return section.epochs * steps_per_epoch; }
};
using TimedSections = std::vector<TimedSection>;

/// Adds up seconds of sections, by what a step of each takes.
double seconds_of(const TimedSections& sections, bool before, StepMs ms) {
  double seconds = 0;
  for (const TimedSection& timed : sections) {
    if (timed.is_before() == before) seconds += timed.steps() * (timed.step->*ms) / kMsPerSecond;
  }
  return seconds;
}

curves::TrainingCourse course_of(const TimedSections& sections, StepMs ms) {
  std::vector<curves::Stretch> stretches;
  for (const TimedSection& timed : sections) {
    stretches.push_back(
        {timed.section.epochs, timed.steps_per_epoch * (timed.step->*ms) / kMsPerSecond});
  }
  return curves::TrainingCourse(std::move(stretches));
}

/// All steps as long as their mean, a dense training before among them: of trainings of any length.
curves::TrainingCourse mean_course_of(const TimedSections& sections, StepMs ms) {
  double epochs = 0;
  for (const TimedSection& timed : sections) epochs += timed.is_before() ? 0 : timed.section.epochs;
  return curves::TrainingCourse(
      {{epochs, (seconds_of(sections, false, ms) + seconds_of(sections, true, ms)) / epochs}});
}

/// The mean step and its bounds.
TtaStep mean_step(const TimedSections& sections, double steps) {
  const auto mean = [&](StepMs ms) {
    return seconds_of(sections, false, ms) / steps * kMsPerSecond;
  };
  TtaStep step;
  step.ms = mean(&StepTime::ms);
  step.between = {mean(&StepTime::least_ms), mean(&StepTime::most_ms)};
  step.joules = mean(&StepTime::joules);
  step.sparse_ms = step.ms;
  for (const TimedSection& timed : sections) {
    if (timed.section.kind == SectionKind::sparse) step.sparse_ms = timed.step->ms;
  }
  step.pruning_free_ms = mean(&StepTime::pruning_free_ms);
  const double dense = mean(&StepTime::dense_ms);
  step.speedup = dense / step.ms;
  step.speedup_between = {dense / mean(&StepTime::slowest_ms), dense / mean(&StepTime::fastest_ms)};
  return step;
}

curves::SectionRules rules_of(const Scheme& scheme, const TrainedScheme& trained) {
  const bool is_as_dense = scheme.is_dense() && scheme.work.empty() &&
                           std::none_of(scheme.phases.begin(), scheme.phases.end(),
                                        [](const PhaseRule& rule) { return rule.dtype; });
  if (is_as_dense) return {};
  return {scheme.share_of_training, scheme.dense_steps == DenseSteps::first,
          scheme.dense_steps == DenseSteps::before, trained.warm_up_epochs};
}

/// Empty if a step could not be simulated.
TimedSections sections_of(const TtaSummary& summary, const std::vector<StepTime>& times,
                          const std::string& machine, const Scheme& scheme,
                          const std::vector<double>& epochs) {
  const TtaConfig& config = summary.config;
  const auto rules = rules_of(scheme, config.training_of(scheme.name));
  TimedSections sections;
  for (const curves::Section& section : curves::sections_of(rules, epochs)) {
    const std::string& network = config.schedule[section.network].network;
    const std::string name =
        section.kind == SectionKind::sparse ? scheme.name : std::string(kBaselineScheme);
    const auto step = std::ranges::find_if(times, [&](const StepTime& time) {
      return time.machine == machine && time.network == network && time.scheme == name;
    });
    if (step == times.end()) return {};
    const auto batch = static_cast<double>(summary.batches.at(network) * config.devices);
    sections.push_back({section, &*step, config.samples_per_epoch / batch});
  }
  return sections;
}

}  // namespace

std::vector<StepTime> step_times(const StudyResult& study) {
  std::vector<StepTime> times;
  for (const StudyTotal& total : study.totals) {
    if (total.pass != kTrainingPass || !total.is_complete()) continue;
    StepTime time{total.machine,
                  total.network,
                  total.scheme,
                  total.step.time_us / kUsPerMs,
                  total.step.dense_time_us / kUsPerMs,
                  total.step_without_work.time_us / kUsPerMs};
    const LikelyInterval& likely = total.time_interval;
    const LikelyInterval& gain = total.step_interval;
    time.least_ms = likely.is_known() ? likely.low / kUsPerMs : time.ms;
    time.most_ms = likely.is_known() ? likely.high / kUsPerMs : time.ms;
    time.fastest_ms = time.dense_ms / (gain.is_known() ? gain.high : total.step.speedup);
    time.joules = total.joules;
    time.slowest_ms = time.dense_ms / (gain.is_known() ? gain.low : total.step.speedup);
    times.push_back(std::move(time));
  }
  return times;
}

std::optional<ComposedTraining> compose_training(const TtaSummary& summary,
                                                 const std::vector<StepTime>& times,
                                                 const std::string& machine, const Scheme& scheme,
                                                 std::optional<double> length) {
  const std::vector<NetworkSpan>& schedule = summary.config.schedule;
  const bool is_halved = summary.config.training_of(scheme.name).curves_have_dense;
  std::vector<double> networks;
  for (const NetworkSpan& span : schedule) {
    const double epochs = schedule.size() > 1 ? span.epochs : length.value_or(1);
    networks.push_back(is_halved ? epochs / 2 : epochs);
  }
  const TimedSections sections = sections_of(summary, times, machine, scheme, networks);
  if (sections.empty()) return std::nullopt;
  const auto course = summary.is_of_ends() ? &mean_course_of : &course_of;
  ComposedTraining training{{course(sections, &StepTime::ms), course(sections, &StepTime::least_ms),
                             course(sections, &StepTime::most_ms),
                             course(sections, &StepTime::fastest_ms),
                             course(sections, &StepTime::slowest_ms), 0}};
  training.is_length_known = length.has_value() || schedule.size() > 1;
  for (const TimedSection& timed : sections) {
    if (!timed.is_before()) training.steps += timed.steps();
    if (timed.is_before() && !is_halved && !summary.is_of_ends())
      training.timed.epochs_before += timed.section.epochs;
  }
  training.before_s = seconds_of(sections, true, &StepTime::ms);
  training.step = mean_step(sections, training.steps);
  for (const auto& [section, step, steps_per_epoch] : sections) {
    TtaPart& part = training.parts.emplace_back();
    part.kind = section.kind;
    part.network = step->network;
    if (training.is_length_known) part.epochs = section.epochs;
    part.share = section.epochs * steps_per_epoch / training.steps;
    part.step_ms = step->ms;
    part.between = {step->least_ms, step->most_ms};
  }
  return training;
}

}  // namespace stcsim
