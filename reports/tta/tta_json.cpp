#include <cmath>

#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "reports/curves/curves_report.hpp"
#include "reports/tta/tta_evidence.hpp"
#include "reports/tta/tta_report.hpp"

namespace stcsim {
namespace {

using curves::Interval;
using curves::Uncertain;
using nlohmann::ordered_json;

/// @param key  what the figure itself is called
ordered_json uncertain_json(const std::optional<Uncertain>& figure, const char* key) {
  if (!figure) return nullptr;
  return figures({{key, figure->value},
                  {"interval", figure->interval},
                  {"curve_interval", figure->of_curves},
                  {"simulation_interval", figure->of_simulation}});
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

ordered_json question_json(const TtaSummary& summary) {
  const TtaQuestion& question = summary.question;
  const TtaConfig& config = summary.config;
  const auto network = [](const NetworkSpan& span) { return span.network; };
  return figures({{"metric", text_or_null(question.curves.metric)},
                  {"over", to_string(question.over)},
                  {"lower_is_better", question.curves.lower_is_better},
                  {"target", question.curves.target},
                  {"of_ends", summary.is_of_ends()},
                  {"budget_hours", question.budget_hours},
                  {"samples_per_epoch", config.samples_per_epoch},
                  {"epochs", config.epochs},
                  {"devices", config.devices},
                  {"networks", figures_of_each(config.schedule, network)},
                  {"curves_of", text_or_null(config.curves_of)},
                  {"confidence", curves::kConfidence},
                  {"seed", question.curves.seed}});
}

ordered_json run_json(const curves::RunFigures& run) {
  const auto if_measured = [&](double value) {
    return run.points > 0 ? std::optional(value) : std::nullopt;
  };
  return figures({{"run", run.run},
                  {"format", run.format},
                  {"points", run.points},
                  {"final", if_measured(run.final_value)},
                  {"best", if_measured(run.best_value)},
                  {"to_target", run.first_crossing}});
}

ordered_json curve_json(const TtaCurves& curves) {
  return figures({{"scheme", curves.scheme},
                  {"runs", figures_of_each(curves.figures.runs, &run_json)},
                  {"points", figures_of_each(curves.mean, &mean_point_json)}});
}

ordered_json part_json(const TtaPart& part) {
  return figures({{"name", part.kind},
                  {"network", part.network},
                  {"epochs", part.epochs},
                  {"share", part.share},
                  {"step_ms", part.step_ms},
                  {"interval", part.between}});
}

/// The mean of what is spread over runs, and between what it lies; null of none.
std::optional<double> mean_of(const std::optional<curves::Spread>& spread) {
  return spread ? std::optional(spread->mean) : std::nullopt;
}
std::optional<Interval> interval_of(const std::optional<curves::Spread>& spread) {
  return spread ? spread->interval : std::nullopt;
}

ordered_json reach_json(const TtaResult& result, const std::optional<curves::Spread>& spread,
                        std::string_view over) {
  if (result.runs == 0) return nullptr;
  return figures({{"over", over},
                  {"reached", result.reached},
                  {"runs", result.runs},
                  {"mean", mean_of(spread)},
                  {"interval", interval_of(spread)},
                  {"predicted", result.predicted.has_value()}});
}

ordered_json loss_json(const curves::LossAtEnd& loss) {
  return figures({{"value", loss.value}, {"interval", loss.between}});
}

ordered_json predicted_json(const TtaPrediction& predicted) {
  return figures({{"loss", predicted.loss.value},
                  {"interval", predicted.loss.between},
                  {"end", predicted.crossing.end},
                  {"end_interval", predicted.crossing.end_between}});
}

ordered_json spread_part(const curves::Spread& spread) {
  return figures({{"runs", spread.count},
                  {"mean", spread.mean},
                  {"interval", spread.interval},
                  {"least", spread.least},
                  {"most", spread.most}});
}

ordered_json budget_json(const curves::WithinBudget& budget) {
  return figures({{"runs", budget.runs},
                  {"reached", budget.reached},
                  {"mean", mean_of(budget.value)},
                  {"interval", interval_of(budget.value)}});
}

ordered_json final_difference_json(const curves::Difference& difference) {
  return figures({{"difference", difference.mean},
                  {"p_value", difference.p_value},
                  {"least_p", difference.least_p},
                  {"told_apart", difference.p_value < curves::kSignificant}});
}

ordered_json published_json(const curves::PublishedFinal& published) {
  return figures({{"dense", published.dense},
                  {"sparse", published.sparse},
                  {"metric", published.metric},
                  {"source", published.source},
                  {"missing", published.missing}});
}

ordered_json point_json(const curves::TimedValue& point) {
  return figures({{"hours", point.hours}, {"mean", point.value}});
}

/// The final values of the runs, if they are known.
std::optional<curves::Spread> final_of(const TtaResult& result) {
  return result.has_points() ? std::optional(result.curves->figures.final_value) : std::nullopt;
}

ordered_json tta_result_json(const TtaResult& result, const TtaSummary& summary) {
  const TtaQuestion& question = summary.question;
  const curves::SpeedupToTarget& compared = result.compared;
  const auto p_value = [](const curves::Difference& difference) { return difference.p_value; };
  const auto least_p = [](const curves::Difference& difference) { return difference.least_p; };
  return figures({{"machine", result.machine},
                  {"scheme", result.scheme},
                  {"against", result.against},
                  {"step_ms", figures({{"mean", result.step.ms},
                                       {"interval", result.step.between},
                                       {"sparse", result.step.sparse_ms}})},
                  {"parts", figures_of_each(result.parts, &part_json)},
                  {"to_target", reach_json(result, result.to_target, to_string(question.over))},
                  {"epochs_to_target", reach_json(result, result.epochs_to_target, "epochs")},
                  {"hours", uncertain_json(result.hours, "mean")},
                  {"kilowatt_hours", result.kilowatt_hours(summary.config.devices)},
                  {"training_hours", result.training_hours},
                  {kSpeedupKey, uncertain_json(compared.speedup, "value")},
                  {"step_speedup", figures({{"value", result.step.speedup},
                                            {"interval", result.step.speedup_between}})},
                  {"break_even", result.break_even},
                  {"p_value", figures_if(compared.difference, p_value)},
                  {"least_p", figures_if(compared.difference, least_p)},
                  {"told_apart", compared.verdict == curves::Verdict::faster ||
                                     compared.verdict == curves::Verdict::slower},
                  {"verdict", compared.verdict},
                  {"within_budget", figures_if(result.within_budget, &budget_json)},
                  {"final", figures_if(final_of(result), &spread_part)},
                  {"final_against", figures_if(result.final_difference, &final_difference_json)},
                  {"published", figures_if(result.published, &published_json)},
                  {"predicted", figures_if(result.predicted, &predicted_json)},
                  {"pareto", result.is_on_front},
                  {"most_loss", result.most_loss},
                  {"own", figures_if(result.own, &loss_json)},
                  {"evidence", result.evidence},
                  {"points", figures_of_each(result.points, &point_json)}});
}

ordered_json front_json(const TtaFront& front, const TtaSummary& summary) {
  const auto point = [&](const curves::TimedValue& one) {
    ordered_json json = point_json(one);
    json["scheme"] = summary.schemes[one.of];
    return json;
  };
  return figures({{"machine", front.machine}, {"points", figures_of_each(front.points, point)}});
}

ordered_json comparison_json(const TtaComparison& comparison) {
  const SchemePair& pair = comparison.pair;
  return figures({{"machine", comparison.machine},
                  {"scheme", pair.scheme},
                  {"against", pair.against},
                  {"step_ratio", comparison.step_ratio},
                  {"step_ratio_pruning_free", comparison.step_ratio_pruning_free},
                  {"published_step_ratio", pair.published_step_ratio},
                  {"published_less_time", pair.published_less_time},
                  {"implied_epochs", comparison.implied_epochs(comparison.step_ratio)},
                  {"implied_epochs_pruning_free",
                   comparison.implied_epochs(comparison.step_ratio_pruning_free)},
                  {"source", pair.source}});
}

ordered_json ordering_json(const TtaOrdering& ordering) {
  return figures({{"scheme", ordering.pair.scheme},
                  {"against", ordering.pair.against},
                  {"claim", ordering.pair.claim},
                  {"source", ordering.pair.source},
                  {"final", final_difference_json(ordering.final_value)}});
}

ordered_json measured_json(const TtaMeasured& row) {
  const double hours = row.measured.hours();
  return figures({{"machine", row.measured.machine},
                  {"scheme", row.measured.scheme},
                  {"x", row.measured.x},
                  {"measured_hours", hours},
                  {"simulated_hours", row.simulated_hours},
                  {"interval", row.between},
                  {"error", row.simulated_hours / hours - 1},
                  {"source", row.measured.source}});
}

/// What the table shows of a result.
ordered_json csv_row(const TtaResult& result) {
  const auto value = [](const Uncertain& figure) { return figure.value; };
  const auto low = [](const std::optional<Uncertain>& figure) {
    return figure && figure->interval ? std::optional(figure->interval->low) : std::nullopt;
  };
  const auto high = [](const std::optional<Uncertain>& figure) {
    const bool is_known = figure && figure->interval && std::isfinite(figure->interval->high);
    return is_known ? std::optional(figure->interval->high) : std::nullopt;
  };
  const auto& speedup = result.compared.speedup;
  return figures({{"machine", result.machine},
                  {"scheme", result.scheme},
                  {"runs", result.runs},
                  {"reached", result.reached},
                  {"predicted", result.predicted.has_value()},
                  {"to_target", mean_of(result.to_target)},
                  {"step_ms", result.step.ms},
                  {"hours", figures_if(result.hours, value)},
                  {"hours_low", low(result.hours)},
                  {"hours_high", high(result.hours)},
                  {kSpeedupKey, figures_if(speedup, value)},
                  {"speedup_low", low(speedup)},
                  {"speedup_high", high(speedup)},
                  {"verdict", result.compared.verdict},
                  {"break_even", result.break_even},
                  {"training_hours", result.training_hours},
                  {"within_budget",
                   result.within_budget ? mean_of(result.within_budget->value) : std::nullopt},
                  {"final", mean_of(final_of(result))},
                  {"pareto", result.is_on_front},
                  {"evidence", result.evidence}});
}

}  // namespace

std::string tta_to_json(const TtaSummary& summary) {
  ordered_json document = document_head(kTtaSchema, summary.config_hash);
  document["config"] = {{"experiment", config_object(summary.resolved_experiment)},
                        {"time_to_accuracy", config_object(summary.resolved_config)}};
  const auto result = [&](const TtaResult& one) { return tta_result_json(one, summary); };
  const auto front = [&](const TtaFront& one) { return front_json(one, summary); };
  add_figures(document, {{"question", question_json(summary)},
                         {"curves", figures_of_each(summary.curves, &curve_json)},
                         {"results", figures_of_each(summary.results, result)},
                         {"fronts", figures_of_each(summary.fronts, front)},
                         {"comparisons", figures_of_each(summary.comparisons, &comparison_json)},
                         {"orderings", figures_of_each(summary.orderings, &ordering_json)},
                         {"tests", count_of_tests(summary)},
                         {"measured", figures_of_each(summary.measured, &measured_json)},
                         {"others", summary.others},
                         {"notes", summary.notes}});
  return document_text(document);
}

std::string tta_to_csv(const TtaSummary& summary) {
  return to_csv(csv_row(TtaResult{}), figures_of_each(summary.results, &csv_row));
}

}  // namespace stcsim
