#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/io/yaml_node.hpp"
#include "curves/run.hpp"
#include "sim/config/experiment.hpp"

namespace stcsim {

/// A network of a schedule and the epochs it is trained for.
struct NetworkSpan {
  std::string network;
  double epochs = 0;
};

/// Published runs of which only the way to a target is known: rows of configs/curves/to_target.csv.
struct PublishedRuns {
  std::string network;
  double batch = 0;
};

/// What is known of the trainings with one scheme.
struct TrainedScheme {
  std::string scheme;
  /// Whose runs they are compared with: dense ones, unless those were trained otherwise (another
  /// optimizer).
  std::string against;
  /// Each a file of runs; in order, none twice.
  std::vector<std::filesystem::path> curves;
  /// Epochs that run dense whatever the scheme does.
  double warm_up_epochs = 0;
  /// The dense training that a scheme begins with is in the curves, as the first half of them,
  /// rather than before them.
  bool curves_have_dense = false;
  /// Instead of curves.
  std::optional<PublishedRuns> published_runs;
  /// What else there is to say of where the figures come from; or "".
  std::string evidence;
};

/// Two schemes whose steps are compared, and what was published of their trainings.
struct SchemePair {
  std::string scheme;
  std::string against;
  /// Share of the other one's time that this one is said to save; how many times as long a step of
  /// the other one is said to take.
  std::optional<double> published_less_time;
  std::optional<double> published_step_ratio;
  std::string source;
  /// What was claimed of the two, in words; or "".
  std::string claim;

  /// Whether the time of a step is asked for: it is not where a claim is all that is said.
  [[nodiscard]] bool asks_for_time() const {
    return claim.empty() || published_less_time || published_step_ratio;
  }
};

/// A training whose time was measured on a machine of the experiment.
struct MeasuredTraining {
  std::string machine;
  std::string scheme;
  /// How much had been trained, as curves count it.
  double x = 0;
  double seconds = 0;
  std::string source;

  [[nodiscard]] double hours() const { return seconds / 3600; }
};

/// The map `time_to_accuracy` of an experiment; docs/accuracy.md has its keys.
struct TtaConfig {
  double samples_per_epoch = 0;
  /// Length of a whole training, if it is said.
  std::optional<double> epochs;
  /// Devices that train together, each with the network's batch.
  std::int64_t devices = 1;
  std::optional<double> target;
  std::string metric;
  std::optional<curves::Axis> over;
  std::optional<bool> lower_is_better;
  std::string curves_of;
  /// One network at least, with the epochs of each; 0 epochs where the length is not known.
  std::vector<NetworkSpan> schedule;
  /// One per scheme of the experiment, in its order.
  std::vector<TrainedScheme> trainings;
  std::vector<SchemePair> pairs;
  std::vector<MeasuredTraining> measured;

  [[nodiscard]] const TrainedScheme& training_of(const std::string& scheme) const;
};

/// @param root of the experiment's file, with its `--set` applied
/// @throws ConfigError with file:line:column for what is missing, misspelt, out of range, names
/// what
///         the experiment does not have, or does not go together
[[nodiscard]] TtaConfig read_tta_config(const YamlNode& root, const Experiment& experiment);

/// As JSON text, keys sorted; files as their names.
[[nodiscard]] std::string resolved_tta_config(const TtaConfig& config);

}  // namespace stcsim
