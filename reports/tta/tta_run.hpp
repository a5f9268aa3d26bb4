#pragma once

#include <filesystem>
#include <functional>

#include "common/io/yaml_node.hpp"
#include "reports/tta/tta_curves.hpp"
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

}  // namespace stcsim
