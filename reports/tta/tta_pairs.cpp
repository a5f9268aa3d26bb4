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

std::size_t count_of_tests(const TtaSummary& summary) {
  std::size_t tests = summary.orderings.size();
  for (const TtaResult& result : summary.results) {
    const bool is_first_machine = result.machine == summary.results.front().machine;
    if (result.compared.difference) ++tests;
    if (result.final_difference && is_first_machine) ++tests;
  }
  return tests;
}

TtaMeasured measured_of(const MeasuredTraining& measured, const curves::TimedTraining& training,
                        double epochs) {
  return {measured,
          training.hours_at(epochs),
          {training.hours_at(training.least, epochs), training.hours_at(training.most, epochs)}};
}

}  // namespace stcsim
