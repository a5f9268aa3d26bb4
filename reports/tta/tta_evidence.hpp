#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "curves/statistics.hpp"
#include "reports/tta/tta_summary.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// The first pattern that the scheme asks for; "" of none.
[[nodiscard]] std::string pattern_of_scheme(const Scheme& scheme);
/// The shipped scheme's name: results call it "sdgp-4:32" with another pattern.
[[nodiscard]] std::string shipped_name(const Scheme& scheme);

/// What was published of a scheme on a network with its pattern, whatever the network's length or
/// resolution; of several rows one that says a loss in the metric, then one that prunes as the
/// scheme does.
[[nodiscard]] std::optional<curves::PublishedFinal> published_of(
    const std::vector<curves::PublishedFinal>& rows, const Scheme& scheme,
    const std::string& network, std::string_view metric);

/// What was published of the network's loss in the metric with other methods, a sentence each.
[[nodiscard]] std::vector<std::string> published_of_others(
    const std::vector<curves::PublishedFinal>& rows, const std::vector<Scheme>& schemes,
    const std::string& network, std::string_view metric);

/// What the figures of a result rest on.
/// @param other_has_curves  what it is compared with
[[nodiscard]] std::string evidence_of(const TtaResult& result, const TtaConfig& config,
                                      bool other_has_curves);

/// Permutation tests that were made: of hours on every machine, of final values once.
[[nodiscard]] std::size_t count_of_tests(const TtaSummary& summary);

/// Adds the Pareto front of a machine's mean curves, and says of each result whether its end lies
/// on it.
/// @param first of the machine's results, which are the last of the summary
void add_front(TtaSummary& summary, const std::string& machine, std::size_t first);

/// The mean of a scheme's runs, in the unit of the curves.
[[nodiscard]] curves::Curve mean_of(const TtaCurves& curves, const TtaQuestion& question);

/// Runs of a scheme that are those of another one, each so many times as long.
struct PredictedRuns {
  /// In the unit of the curves; nothing where it is not reached.
  std::vector<std::optional<double>> to_target;
  /// Between what that factor lies, of itself: infinite where the target may never be reached.
  curves::Interval factor{1, 1};
};

/// The factor is the predicted crossing over that of the other one's mean curve, both on straight
/// lines; the other one's runs count as measured (first crossing). None is longer than its run,
/// since who ends at the target has reached it by then.
/// @param other  with points
[[nodiscard]] PredictedRuns predicted_runs(const TtaCurves& other, const TtaQuestion& question,
                                           const curves::PredictedCrossing& crossing);

}  // namespace stcsim
