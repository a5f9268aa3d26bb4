#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/tta/tta_summary.hpp"

namespace stcsim {

/// What the command line says about curves and targets, over what the file says.
struct TtaOptions {
  std::optional<double> target;
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

}  // namespace stcsim
