#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/tta/timed_trainings.hpp"
#include "reports/tta/tta_summary.hpp"
#include "sim/config/experiment.hpp"

namespace stcsim {

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
