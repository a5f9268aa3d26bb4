#include "reports/tta/timed_trainings.hpp"

#include <algorithm>
#include <utility>

namespace stcsim {
namespace {

constexpr double kUsPerMs = 1000;
constexpr double kMsPerSecond = 1000;

using curves::Section;
using curves::SectionKind;
using curves::Stretch;
using curves::TrainingCourse;

SectionStep step_of(const StepTime& time) {
  return {time.ms,
          time.between,
          time.dense_ms / time.speedup_between.high,
          time.dense_ms / time.speedup_between.low,
          time.pruning_free_ms,
          time.dense_ms};
}

/// Adds up seconds of sections, by what a step of each takes.
template <class StepMs>
double seconds_of(const std::vector<TimedSection>& sections, bool before, StepMs step_ms) {
  double seconds = 0;
  for (const TimedSection& timed : sections) {
    if ((timed.section.kind == SectionKind::dense_before) != before) continue;
    seconds += timed.section.epochs * timed.steps_per_epoch * step_ms(timed.step) / kMsPerSecond;
  }
  return seconds;
}

template <class StepMs>
TrainingCourse course_of(const std::vector<TimedSection>& sections, StepMs step_ms) {
  std::vector<Stretch> stretches;
  for (const TimedSection& timed : sections) {
    stretches.push_back(
        {timed.section.epochs, timed.steps_per_epoch * step_ms(timed.step) / kMsPerSecond});
  }
  return TrainingCourse(std::move(stretches));
}

double nominal_ms(const SectionStep& step) {
  return step.ms;
}

/// The mean step and its bounds.
void describe_steps(const std::vector<TimedSection>& sections, ComposedTraining& training) {
  const auto mean_ms = [&](auto step_ms) {
    return seconds_of(sections, false, step_ms) / training.steps * kMsPerSecond;
  };
  training.before_s = seconds_of(sections, true, nominal_ms);
  training.step_ms = mean_ms(nominal_ms);
  training.step_between = {mean_ms([](const SectionStep& step) { return step.between.low; }),
                           mean_ms([](const SectionStep& step) { return step.between.high; })};
  training.pruning_free_step_ms =
      mean_ms([](const SectionStep& step) { return step.pruning_free; });
  const double dense = mean_ms([](const SectionStep& step) { return step.dense; });
  training.step_speedup = dense / training.step_ms;
  training.step_speedup_between = {
      dense / mean_ms([](const SectionStep& step) { return step.slowest; }),
      dense / mean_ms([](const SectionStep& step) { return step.fastest; })};
}

std::vector<TtaPart> parts_of(const std::vector<TimedSection>& sections, const TtaConfig& config,
                              const ComposedTraining& training) {
  std::vector<TtaPart> parts;
  for (const TimedSection& timed : sections) {
    TtaPart part;
    part.kind = timed.section.kind;
    part.network = config.schedule[timed.section.network].network;
    if (training.is_length_known) part.epochs = timed.section.epochs;
    part.share = timed.section.epochs * timed.steps_per_epoch / training.steps;
    part.step_ms = timed.step.ms;
    part.between = timed.step.between;
    parts.push_back(std::move(part));
  }
  return parts;
}

curves::SectionRules rules_of(const Scheme& scheme, const TrainedScheme& trained) {
  const bool is_as_dense = scheme.is_dense() && scheme.work.empty() &&
                           std::none_of(scheme.phases.begin(), scheme.phases.end(),
                                        [](const PhaseRule& rule) { return rule.dtype; });
  if (is_as_dense) return {};
  return {scheme.share_of_training, scheme.dense_steps == DenseSteps::first,
          scheme.dense_steps == DenseSteps::before, trained.warm_up_epochs};
}

double epochs_before(const std::vector<TimedSection>& sections) {
  double epochs = 0;
  for (const TimedSection& timed : sections) {
    if (timed.section.kind == SectionKind::dense_before) epochs += timed.section.epochs;
  }
  return epochs;
}

curves::TimedTraining timed_of(const std::vector<TimedSection>& sections) {
  return {course_of(sections, nominal_ms),
          course_of(sections, [](const SectionStep& step) { return step.between.low; }),
          course_of(sections, [](const SectionStep& step) { return step.between.high; }),
          course_of(sections, [](const SectionStep& step) { return step.fastest; }),
          course_of(sections, [](const SectionStep& step) { return step.slowest; }),
          0};
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
                  total.step_without_work.time_us / kUsPerMs,
                  {},
                  {total.step.speedup, total.step.speedup}};
    time.between = {time.ms, time.ms};
    if (const LikelyInterval& likely = total.time_interval; likely.is_known()) {
      time.between = {likely.low / kUsPerMs, likely.high / kUsPerMs};
    }
    if (total.step_interval.is_known()) {
      time.speedup_between = {total.step_interval.low, total.step_interval.high};
    }
    times.push_back(time);
  }
  return times;
}

const StepTime* TrainingComposer::find(const std::string& machine, const std::string& network,
                                       const std::string& scheme) const {
  const auto found = std::find_if(times_.begin(), times_.end(), [&](const StepTime& time) {
    return time.machine == machine && time.network == network && time.scheme == scheme;
  });
  return found == times_.end() ? nullptr : &*found;
}

double TrainingComposer::steps_per_epoch(const std::string& network) const {
  return config_.samples_per_epoch / static_cast<double>(batches_.at(network) * config_.devices);
}

std::optional<std::vector<TimedSection>> TrainingComposer::sections_of(
    const std::string& machine, const Scheme& scheme, const std::vector<double>& networks) const {
  const auto rules = rules_of(scheme, config_.training_of(scheme.name));
  std::vector<TimedSection> sections;
  for (const Section& section : curves::sections_of(rules, networks)) {
    const std::string& network = config_.schedule[section.network].network;
    const bool is_sparse = section.kind == SectionKind::sparse;
    const StepTime* const time =
        find(machine, network, is_sparse ? scheme.name : std::string(kBaselineScheme));
    if (time == nullptr) return std::nullopt;
    sections.push_back({section, step_of(*time), steps_per_epoch(network)});
  }
  return sections;
}

std::optional<ComposedTraining> TrainingComposer::compose(const std::string& machine,
                                                          const Scheme& scheme,
                                                          std::optional<double> length) const {
  const bool is_halved = config_.training_of(scheme.name).curves_have_dense;
  std::vector<double> networks;
  for (const NetworkSpan& span : config_.schedule) {
    const double epochs = config_.schedule.size() > 1 ? span.epochs : length.value_or(1);
    networks.push_back(is_halved ? epochs / 2 : epochs);
  }
  const auto sections = sections_of(machine, scheme, networks);
  if (!sections) return std::nullopt;
  ComposedTraining training(timed_of(*sections));
  training.is_length_known = length.has_value() || config_.schedule.size() > 1;
  for (const TimedSection& timed : *sections) {
    if (timed.section.kind == SectionKind::dense_before) continue;
    training.epochs += timed.section.epochs;
    training.steps += timed.section.epochs * timed.steps_per_epoch;
  }
  describe_steps(*sections, training);
  training.parts = parts_of(*sections, config_, training);
  if (!is_halved) training.timed.epochs_before = epochs_before(*sections);
  return training;
}

}  // namespace stcsim
