#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/io/yaml_node.hpp"
#include "reports/tta/timed_trainings.hpp"
#include "reports/tta/tta_summary.hpp"
#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// What the command line says about curves and targets, over what the file says.
struct TtaOptions {
  std::optional<double> target;
  /// Instead: so many points below where dense training ends.
  std::optional<double> points_below_dense;
  std::optional<double> budget_hours;
  bool extrapolate = false;
  std::uint64_t seed = 1;
};

/// Reads the curves of all schemes, and says what is asked of them: fills in `question`, `curves`
/// and notes of the summary, whose configuration is there.
/// @param batches samples a step on one device, of every network by name
/// @param published runs that `published_runs` may name
/// @throws ConfigError for files that cannot be read, runs that cannot be compared, or a unit of
///         curves that cannot be turned into epochs
void read_tta_curves(TtaSummary& summary, const TtaOptions& options,
                     const std::map<std::string, std::int64_t>& batches,
                     const std::vector<curves::PublishedCrossing>& published);

/// Epochs that so much training is.
/// @throws ConfigError if a step is not the same number of samples all along
[[nodiscard]] double epochs_of(double x, curves::Axis axis, const TtaConfig& config,
                               const std::map<std::string, std::int64_t>& batches);

/// An experiment with a map `time_to_accuracy`, its configuration and curves read, nothing
/// simulated yet.
struct TtaQuery {
  Experiment experiment;
  TtaSummary summary;
};

/// @param document the experiment's file
/// @param metric instead of the file's; "" keeps it
/// @throws ConfigError as read_tta_config() and read_tta_curves() do
[[nodiscard]] TtaQuery read_tta_query(const YamlDocument& document, const TtaOptions& options,
                                      const std::string& metric = "");

/// Simulates the query's steps and answers it.
/// @param run what simulates an experiment; the steps of a training are put together afterwards,
///        so all schemes are sparse in all steps of it
/// @return what was simulated
StudyResult answer_tta_query(TtaQuery& query,
                             const std::function<StudyResult(const Experiment&)>& run);

/// Time to accuracy of every scheme on every machine: fills in all of the summary but what
/// read_tta_curves() has filled in.
/// @param times of the experiment's networks, each scheme sparse in all steps
/// @param published final values, of any scheme and network
void analyse_tta(TtaSummary& summary, const Experiment& experiment,
                 const std::vector<StepTime>& times,
                 const std::vector<curves::PublishedFinal>& published);

/// Samples a step on one device, of every network by name.
[[nodiscard]] std::map<std::string, std::int64_t> batches_of(const Experiment& experiment);

}  // namespace stcsim
