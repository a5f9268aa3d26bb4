#pragma once

#include <optional>
#include <vector>

#include "curves/statistics.hpp"
#include "reports/tta/tta_summary.hpp"

namespace stcsim {

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
