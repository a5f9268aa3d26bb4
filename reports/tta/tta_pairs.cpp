#include "reports/tta/tta_pairs.hpp"

namespace stcsim {

TtaComparison comparison_of(const std::string& machine, const SchemePair& pair,
                            const ComposedTraining& own, const ComposedTraining& other) {
  TtaComparison comparison{machine,
                           pair,
                           other.step_ms / own.step_ms,
                           other.pruning_free_step_ms / own.pruning_free_step_ms,
                           std::nullopt,
                           std::nullopt};
  if (pair.published_less_time) {
    const double left = 1 - *pair.published_less_time;
    comparison.implied_epochs = left * comparison.step_ratio;
    comparison.implied_epochs_pruning_free = left * comparison.step_ratio_pruning_free;
  }
  return comparison;
}

curves::Difference difference_of_finals(const TtaCurves& first, const TtaCurves& second,
                                        std::uint64_t seed) {
  const auto finals = [](const TtaCurves& curves) {
    std::vector<double> values;
    for (const curves::RunFigures& run : curves.figures.runs) values.push_back(run.final_value);
    return values;
  };
  return curves::permutation_test(finals(first), finals(second), seed);
}

TtaMeasured measured_of(const MeasuredTraining& measured, const curves::TimedTraining& training,
                        double epochs) {
  return {measured,
          training.hours_at(epochs),
          {training.hours_at(training.least, epochs), training.hours_at(training.most, epochs)}};
}

}  // namespace stcsim
