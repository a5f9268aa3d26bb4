#include "reports/tta/tta_config.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "common/io/suggestion.hpp"
#include "common/io/yaml_reader.hpp"
#include "reports/tta/curve_files.hpp"
#include "sim/config/experiment_config.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

constexpr DoubleRange kAboveZero{.min = 0, .max = 1e15, .above_min = true};
constexpr IntRange kDevices{1, 1'000'000};
constexpr std::array<std::pair<std::string_view, curves::Axis>, 3> kTrainedAxes{
    {{"epochs", curves::Axis::epochs},
     {"steps", curves::Axis::steps},
     {"samples", curves::Axis::samples}}};

template <class Named>
std::vector<std::string> names_in(const std::vector<Named>& entries) {
  std::vector<std::string> names;
  for (const Named& entry : entries) names.push_back(entry.name);
  return names;
}

/// A text that has to be one of the experiment's names.
std::string read_name(MapReader& map, const char* key, const char* list,
                      const std::vector<std::string>& names) {
  std::string name = map.get_string(key);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    map.fail(key, fmt::format("'{}' is '{}', must be one of the experiment's '{}'{}", key, name,
                              list, did_you_mean(name, names)));
  }
  return name;
}

std::optional<double> read_optional(MapReader& map, const char* key, DoubleRange range) {
  if (!map.has(key)) return std::nullopt;
  return map.get_double(key, range);
}

TrainedScheme read_training(MapReader& map, const std::vector<std::string>& schemes) {
  TrainedScheme training;
  training.scheme = read_name(map, "scheme", "schemes", schemes);
  if (map.has("against")) training.against = read_name(map, "against", "schemes", schemes);
  if (map.has("curves")) training.curves = read_curve_files(map.get_node("curves"));
  training.warm_up_epochs = map.get_double_or("warm_up_epochs", 0, {.min = 0, .max = 1e9});
  training.curves_have_dense = map.get_bool_or("curves_have_dense", false);
  training.evidence = map.get_string_or("evidence", "");
  if (map.has("published_runs")) {
    MapReader runs = map.get_map("published_runs");
    training.published_runs = {runs.get_string("network"), runs.get_double("batch", kAboveZero)};
    runs.finish();
  }
  map.finish();
  if (training.published_runs && !training.curves.empty()) {
    map.fail("published_runs",
             "'published_runs' stand in place of 'curves'; leave one of them out");
  }
  return training;
}

/// The scheme's name in place of {scheme}.
std::string filled_in(std::string pattern, const std::string& scheme) {
  constexpr std::string_view kMark = "{scheme}";
  for (std::size_t at = pattern.find(kMark); at != std::string::npos;
       at = pattern.find(kMark, at + scheme.size())) {
    pattern.replace(at, kMark.size(), scheme);
  }
  return pattern;
}

/// One entry per scheme of the experiment: those of the file, and empty ones for the rest.
void read_trainings(MapReader& map, const Experiment& experiment, TtaConfig& config) {
  const std::vector<std::string> schemes = names_in(experiment.schemes);
  const std::string pattern = map.get_string_or("curves", "");
  for (const std::string& scheme : schemes) {
    config.trainings.emplace_back();
    config.trainings.back().scheme = scheme;
    config.trainings.back().against = kBaselineScheme;
    if (!pattern.empty()) {
      config.trainings.back().curves =
          matching_files(filled_in(pattern, scheme), map.location_of("curves"));
    }
  }
  if (!map.has("trainings")) return;
  std::vector<std::string> seen;
  for (MapReader& entry : map.get_maps("trainings")) {
    TrainedScheme training = read_training(entry, schemes);
    if (std::find(seen.begin(), seen.end(), training.scheme) != seen.end()) {
      entry.fail("scheme", fmt::format("'{}' is in 'trainings' twice", training.scheme));
    }
    seen.push_back(training.scheme);
    const auto place = std::find(schemes.begin(), schemes.end(), training.scheme);
    TrainedScheme& known = config.trainings[static_cast<std::size_t>(place - schemes.begin())];
    if (training.against.empty()) training.against = kBaselineScheme;
    if (training.curves.empty() && !training.published_runs) training.curves = known.curves;
    known = std::move(training);
  }
}

void read_schedule(MapReader& map, const Experiment& experiment, TtaConfig& config) {
  const std::vector<std::string> networks = names_in(experiment.networks);
  if (!map.has("schedule")) {
    if (networks.size() > 1) {
      map.fail("schedule",
               "the experiment has several networks: 'schedule' must say how many epochs each is "
               "trained for, [{network: NAME, epochs: N}, ...]");
    }
    config.schedule.push_back({networks.front(), config.epochs.value_or(0)});
    return;
  }
  double sum = 0;
  for (MapReader& entry : map.get_maps("schedule")) {
    config.schedule.push_back({read_name(entry, "network", "networks", networks),
                               entry.get_double("epochs", kAboveZero)});
    entry.finish();
    sum += config.schedule.back().epochs;
  }
  if (config.schedule.empty()) map.fail("schedule", "'schedule' is an empty list");
  if (config.epochs && *config.epochs != sum) {
    map.fail("epochs", fmt::format("'epochs' is {}, but those of 'schedule' are {}, must be equal; "
                                   "leave 'epochs' out",
                                   *config.epochs, sum));
  }
  config.epochs = sum;
}

void read_pairs(MapReader& map, const Experiment& experiment, TtaConfig& config) {
  if (!map.has("compare")) return;
  const std::vector<std::string> schemes = names_in(experiment.schemes);
  for (MapReader& entry : map.get_maps("compare")) {
    SchemePair pair;
    pair.scheme = read_name(entry, "scheme", "schemes", schemes);
    pair.against = read_name(entry, "against", "schemes", schemes);
    pair.published_less_time =
        read_optional(entry, "published_less_time", {.min = -1, .max = 1, .above_min = true});
    pair.published_step_ratio = read_optional(entry, "published_step_ratio", kAboveZero);
    pair.source = entry.get_string_or("source", "");
    pair.claim = entry.get_string_or("claim", "");
    entry.finish();
    if ((pair.published_less_time || pair.published_step_ratio) && pair.source.empty()) {
      entry.fail("source", "'source' is missing: who published these figures?");
    }
    config.pairs.push_back(std::move(pair));
  }
}

void read_measured(MapReader& map, const Experiment& experiment, TtaConfig& config) {
  if (!map.has("measured")) return;
  for (MapReader& entry : map.get_maps("measured")) {
    MeasuredTraining measured;
    measured.machine = read_name(entry, "machine", "machines", names_in(experiment.machines));
    measured.scheme = read_name(entry, "scheme", "schemes", names_in(experiment.schemes));
    measured.x = entry.get_double("x", kAboveZero);
    measured.seconds = entry.get_double("seconds", kAboveZero);
    measured.source = entry.get_string("source");
    entry.finish();
    config.measured.push_back(std::move(measured));
  }
}

/// What has to go together.
void check_lengths(const MapReader& map, const TtaConfig& config) {
  for (const TrainedScheme& training : config.trainings) {
    if (config.epochs && training.warm_up_epochs > *config.epochs) {
      map.fail("trainings", fmt::format("'warm_up_epochs' of {} are {}, more than the {} of the "
                                        "training",
                                        training.scheme, training.warm_up_epochs, *config.epochs));
    }
    if (!config.epochs && training.warm_up_epochs > 0) {
      map.fail("epochs", fmt::format("'epochs' is missing: which part of the training of {} the "
                                     "'warm_up_epochs' are depends on it",
                                     training.scheme));
    }
  }
}

/// Only a scheme that begins with a dense training can have it in its curves.
void check_dense_before(const MapReader& map, const Experiment& experiment,
                        const TtaConfig& config) {
  for (const Scheme& scheme : experiment.schemes) {
    if (!config.training_of(scheme.name).curves_have_dense ||
        scheme.dense_steps == DenseSteps::before) {
      continue;
    }
    map.fail("trainings", fmt::format("'curves_have_dense' of {} has no effect: 'dense_steps' of "
                                      "that scheme is {}, not before",
                                      scheme.name, to_string(scheme.dense_steps)));
  }
}

void check_experiment_is_trained(const YamlNode& root, const Experiment& experiment) {
  const std::vector<std::string> schemes = names_in(experiment.schemes);
  const YamlNode* const named = root.find("schemes");
  if (std::find(schemes.begin(), schemes.end(), kBaselineScheme) == schemes.end()) {
    throw ConfigError(named != nullptr ? named->location : root.location,
                      "'schemes' has no 'dense', which all others are compared with; add it");
  }
  const YamlNode* const phases = root.find("phases");
  if (experiment.phases.size() < kPhases.size() || experiment.inference) {
    throw ConfigError(phases != nullptr ? phases->location : root.location,
                      "'phases' must be all of the training step, [forward, dgrad, wgrad], where "
                      "time to accuracy is asked for; leave it out");
  }
}

}  // namespace

const TrainedScheme& TtaConfig::training_of(const std::string& scheme) const {
  return *std::find_if(trainings.begin(), trainings.end(),
                       [&](const TrainedScheme& training) { return training.scheme == scheme; });
}

TtaConfig read_tta_config(const YamlNode& root, const Experiment& experiment) {
  const YamlNode* const node = root.find(kTimeToAccuracyKey);
  if (node == nullptr) {
    throw ConfigError(root.location,
                      fmt::format("'{0}' is missing, must be a map that says how the networks are "
                                  "trained: {0}: {{samples_per_epoch: 50000, epochs: 150, ...}}",
                                  kTimeToAccuracyKey));
  }
  check_experiment_is_trained(root, experiment);
  MapReader map(*node, kTimeToAccuracyKey);
  TtaConfig config;
  config.samples_per_epoch = map.get_double("samples_per_epoch", kAboveZero);
  config.epochs = read_optional(map, "epochs", kAboveZero);
  config.devices = map.get_int_or("devices", 1, kDevices);
  config.target = read_optional(map, "target", {});
  config.metric = map.get_string_or("metric", "");
  if (map.has("over")) config.over = map.get_enum("over", kTrainedAxes);
  if (map.has("lower_is_better")) config.lower_is_better = map.get_bool("lower_is_better");
  config.curves_of = map.get_string_or("curves_of", "");
  for (const char* const key : {"schedule", "curves", "trainings", "compare", "measured"}) {
    static_cast<void>(map.has(key));
  }
  map.finish();
  read_schedule(map, experiment, config);
  read_trainings(map, experiment, config);
  read_pairs(map, experiment, config);
  read_measured(map, experiment, config);
  check_lengths(map, config);
  check_dense_before(map, experiment, config);
  return config;
}

}  // namespace stcsim
