#include "reports/tta/tta_config.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <glob.h>

#include "common/io/catalog.hpp"
#include "common/io/field_json.hpp"
#include "common/io/field_reader.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/suggestion.hpp"
#include "sim/config/experiment_config.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

template <class Named>
std::vector<std::string> names_in(const std::vector<Named>& entries) {
  std::vector<std::string> names;
  for (const Named& entry : entries) names.push_back(entry.name);
  return names;
}

/// Refuses a text that is none of the experiment's names.
template <class Named>
void check_name(const MapReader& map, const char* key, const std::string& name, const char* list,
                const std::vector<Named>& entries) {
  const std::vector<std::string> names = names_in(entries);
  if (std::ranges::find(names, name) != names.end()) return;
  map.fail(key, fmt::format("'{}' is '{}', must be one of the experiment's '{}'{}", key, name, list,
                            did_you_mean(name, names)));
}

/// The maps of a list, if it is there.
std::vector<MapReader> entries_of(MapReader& map, const char* key) {
  return map.has(key) ? map.get_maps(key) : std::vector<MapReader>();
}

/// The files that a pattern with *, ? and [...] matches, sorted by name.
/// @param where of the pattern: relative ones begin at its file
std::vector<std::filesystem::path> matching_files(const std::string& pattern,
                                                  const SourceLocation& where) {
  const std::filesystem::path full = base_directory(where) / pattern;
  glob_t found{};
  std::vector<std::filesystem::path> files;
  if (::glob(full.lexically_normal().c_str(), 0, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return files;
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

void check_training(const MapReader& map, const TrainedScheme& training,
                    const Experiment& experiment) {
  check_name(map, "scheme", training.scheme, "schemes", experiment.schemes);
  check_name(map, "against", training.against, "schemes", experiment.schemes);
  const int known = static_cast<int>(training.published_runs.has_value()) +
                    static_cast<int>(training.end.has_value()) +
                    static_cast<int>(!training.curves.empty());
  if (known > 1) {
    map.fail(training.end ? "end" : "published_runs",
             "'published_runs' and 'end' stand in place of 'curves'; leave all but one out");
  }
}

/// One entry per scheme of the experiment: those of the file, and empty ones for the rest.
void settle_trainings(MapReader& map, const Experiment& experiment, TtaConfig& config) {
  const std::string pattern = map.get_string_or("curves", "");
  std::vector<TrainedScheme> trainings;
  for (const Scheme& scheme : experiment.schemes) {
    trainings.emplace_back().scheme = scheme.name;
    if (pattern.empty()) continue;
    const auto files = matching_files(filled_in(pattern, scheme.name), map.location_of("curves"));
    trainings.back().curves.assign(files.begin(), files.end());
  }
  const std::vector<MapReader> entries = entries_of(map, "trainings");
  std::set<std::string> seen;
  for (std::size_t at = 0; at < entries.size(); ++at) {
    TrainedScheme& training = config.trainings[at];
    check_training(entries[at], training, experiment);
    if (!seen.insert(training.scheme).second) {
      entries[at].fail("scheme", fmt::format("'{}' is in 'trainings' twice", training.scheme));
    }
    TrainedScheme& known = *std::ranges::find(trainings, training.scheme, &TrainedScheme::scheme);
    if (training.curves.empty() && !training.published_runs && !training.end) {
      training.curves = known.curves;
    }
    known = std::move(training);
  }
  config.trainings = std::move(trainings);
}

void settle_schedule(MapReader& map, const Experiment& experiment, TtaConfig& config) {
  if (!map.has("schedule")) {
    if (experiment.networks.size() > 1) {
      map.fail("schedule",
               "the experiment has several networks: 'schedule' must say how many epochs each is "
               "trained for, [{network: NAME, epochs: N}, ...]");
    }
    config.schedule.push_back({experiment.networks.front().name, config.epochs.value_or(0)});
    return;
  }
  const std::vector<MapReader> entries = entries_of(map, "schedule");
  double sum = 0;
  for (std::size_t at = 0; at < entries.size(); ++at) {
    check_name(entries[at], "network", config.schedule[at].network, "networks",
               experiment.networks);
    sum += config.schedule[at].epochs;
  }
  if (config.schedule.empty()) map.fail("schedule", "'schedule' is an empty list");
  if (config.epochs && *config.epochs != sum) {
    map.fail("epochs", fmt::format("'epochs' is {}, but those of 'schedule' are {}, must be equal; "
                                   "leave 'epochs' out",
                                   *config.epochs, sum));
  }
  config.epochs = sum;
}

/// Pairs and measured trainings name what there is.
void check_names(MapReader& map, const Experiment& experiment, const TtaConfig& config) {
  std::vector<MapReader> entries = entries_of(map, "compare");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const SchemePair& pair = config.pairs[at];
    check_name(entries[at], "scheme", pair.scheme, "schemes", experiment.schemes);
    check_name(entries[at], "against", pair.against, "schemes", experiment.schemes);
    if ((pair.published_less_time || pair.published_step_ratio) && pair.source.empty()) {
      entries[at].fail("source", "'source' is missing: who published these figures?");
    }
  }
  entries = entries_of(map, "measured");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const MeasuredTraining& measured = config.measured[at];
    check_name(entries[at], "machine", measured.machine, "machines", experiment.machines);
    check_name(entries[at], "scheme", measured.scheme, "schemes", experiment.schemes);
  }
}

/// What has to go together.
void check_lengths(const MapReader& map, const TtaConfig& config) {
  for (const TrainedScheme& training : config.trainings) {
    if (training.end && (!config.epochs || config.metric.empty())) {
      map.fail("trainings",
               "'end' needs 'epochs' and 'metric': of how long a training, and of what");
    }
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
  const YamlNode* const named = root.find("schemes");
  if (std::ranges::find(experiment.schemes, kBaselineScheme, &Scheme::name) ==
      experiment.schemes.end()) {
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
  return *std::ranges::find(trainings, scheme, &TrainedScheme::scheme);
}

void CurveFiles::read(MapReader& map, const Field& field) {
  const YamlNode& node = map.get_node(field.key);
  for (const YamlNode& item : node.is_list() ? node.items : std::vector{node}) {
    const std::string pattern = read_string(item, field.key);
    const auto matching = matching_files(pattern, item.location);
    if (matching.empty()) {
      throw ConfigError(
          item.location,
          fmt::format("'{}' is '{}', which no file matches, must name files that are there, from "
                      "the folder of this file on",
                      field.key, pattern));
    }
    for (const auto& file : matching) {
      if (std::find(begin(), end(), file) == end()) push_back(file);
    }
  }
}

nlohmann::json CurveFiles::to_json() const {
  nlohmann::json names;
  for (const auto& file : *this) names.push_back(file.filename().string());
  return names;
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
  TtaConfig config = read_fields<TtaConfig>(map);
  settle_schedule(map, experiment, config);
  settle_trainings(map, experiment, config);
  check_names(map, experiment, config);
  check_lengths(map, config);
  check_dense_before(map, experiment, config);
  return config;
}

std::string resolved_tta_config(const TtaConfig& config) {
  return to_json(config).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace stcsim
