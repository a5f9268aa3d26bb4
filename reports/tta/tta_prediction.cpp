#include "reports/tta/tta_prediction.hpp"

#include <algorithm>
#include <limits>

namespace stcsim {

curves::Curve mean_of(const TtaCurves& curves, const TtaQuestion& question) {
  curves::Curve mean{question.curves.metric, question.over, {}};
  for (const curves::MeanPoint& point : curves.mean) mean.points.push_back({point.x, point.mean});
  return mean;
}

PredictedRuns predicted_runs(const TtaCurves& other, const TtaQuestion& question,
                             const curves::PredictedCrossing& crossing) {
  PredictedRuns found;
  found.to_target.assign(other.to_target.size(), std::nullopt);
  if (!crossing.x) return found;
  found.factor = {*crossing.low / *crossing.x, crossing.high
                                                   ? *crossing.high / *crossing.x
                                                   : std::numeric_limits<double>::infinity()};
  const curves::Target target{*question.curves.target, false};
  const std::optional<double> of_mean =
      curves::smoothed_crossing(mean_of(other, question), target, 1);
  for (std::size_t at = 0; at < found.to_target.size(); ++at) {
    const curves::RunFigures& run = other.figures.runs[at];
    if (!of_mean) found.to_target[at] = crossing.x;  // above the other one's end
    if (of_mean && run.first_crossing) {
      found.to_target[at] = std::min(*run.first_crossing * *crossing.x / *of_mean, run.last_x);
    }
  }
  return found;
}

}  // namespace stcsim
