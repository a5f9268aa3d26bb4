#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/io/yaml_node.hpp"
#include "reports/tta/timed_trainings.hpp"
#include "reports/tta/tta_summary.hpp"
#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// An experiment with a map `time_to_accuracy`, its configuration and curves read, nothing
/// simulated yet.
struct TtaQuery {
  Experiment experiment;
  TtaSummary summary;
};

/// @param document the experiment's file
/// @param asked by the command line, over what the file says
/// @throws ConfigError as read_tta_config() does; for files that cannot be read, runs that cannot
/// be
///         compared, or a unit of curves that cannot be turned into epochs
[[nodiscard]] TtaQuery read_tta_query(const YamlDocument& document, TtaQuestion asked);

/// Simulates the query's steps and answers it.
/// @param run what simulates an experiment; the steps of a training are put together afterwards,
///        so all schemes are sparse in all steps of it
/// @return what was simulated
StudyResult answer_tta_query(TtaQuery& query,
                             const std::function<StudyResult(const Experiment&)>& run);

/// What was published of trainings, of any scheme and network.
struct TtaPublished {
  std::vector<curves::PublishedFinal> finals;
  std::vector<curves::PublishedSeeds> seeds;
  /// Own small trainings.
  std::vector<curves::TrainedMean> trained;
};

/// Time to accuracy of every scheme on every machine: fills in all of the summary but what
/// read_tta_query() has filled in.
/// @param times of the experiment's networks, each scheme sparse in all steps
void analyse_tta(TtaSummary& summary, const Experiment& experiment,
                 const std::vector<StepTime>& times, const TtaPublished& published);

}  // namespace stcsim
