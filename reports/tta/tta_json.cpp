#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/json_text.hpp"
#include "reports/tta/tta_evidence.hpp"
#include "reports/tta/tta_report.hpp"

namespace stcsim {
namespace {

using curves::Interval;
using curves::Uncertain;
using nlohmann::ordered_json;

ordered_json tta_number(double value) {
  return json_number(value, "a figure of time to accuracy");
}
ordered_json tta_number(const std::optional<double>& value) {
  return value ? tta_number(*value) : ordered_json();
}

ordered_json ends_of(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {tta_number(interval->low), tta_number(interval->high)};
}

ordered_json uncertain_json(const std::optional<Uncertain>& figure, const char* key) {
  if (!figure) return nullptr;
  return {{key, tta_number(figure->value)},
          {"interval", ends_of(figure->interval)},
          {"curve_interval", ends_of(figure->of_curves)},
          {"simulation_interval", ends_of(figure->of_simulation)}};
}

ordered_json question_json(const TtaSummary& summary) {
  const TtaQuestion& question = summary.question;
  const TtaConfig& config = summary.config;
  ordered_json networks = ordered_json::array();
  for (const NetworkSpan& span : config.schedule) networks.push_back(span.network);
  const std::string& of = config.curves_of;
  const std::string& metric = question.curves.metric;
  return {
      {"metric", metric.empty() ? ordered_json() : ordered_json(metric)},
      {"over", axis_name(question.over)},
      {"lower_is_better", question.curves.lower_is_better},
      {"target", tta_number(question.curves.target)},
      {"budget_hours", tta_number(question.budget_hours)},
      {"samples_per_epoch", tta_number(config.samples_per_epoch)},
      {"epochs", tta_number(config.epochs)},
      {"devices", config.devices},
      {"networks", networks},
      {"curves_of", of.empty() ? ordered_json() : ordered_json(of)},
      {"confidence", curves::kConfidence},
      {"extrapolated_by", question.curves.extrapolate ? ordered_json("power law") : ordered_json()},
      {"seed", question.curves.seed}};
}

ordered_json runs_json(const TtaCurves& curves) {
  ordered_json runs = ordered_json::array();
  for (const curves::RunFigures& run : curves.figures.runs) {
    runs.push_back({{"run", run.run},
                    {"format", run.format},
                    {"points", run.points},
                    {"final", run.points > 0 ? tta_number(run.final_value) : ordered_json()},
                    {"best", run.points > 0 ? tta_number(run.best_value) : ordered_json()},
                    {"to_target", tta_number(run.first_crossing)}});
  }
  return runs;
}

ordered_json curve_json(const TtaCurves& curves) {
  ordered_json points = ordered_json::array();
  for (const curves::MeanPoint& point : curves.mean) {
    points.push_back({{"x", tta_number(point.x)},
                      {"runs", point.runs},
                      {"mean", tta_number(point.mean)},
                      {"least", tta_number(point.least)},
                      {"most", tta_number(point.most)}});
  }
  return {{"scheme", curves.scheme}, {"runs", runs_json(curves)}, {"points", points}};
}

ordered_json parts_json(const TtaResult& result) {
  ordered_json parts = ordered_json::array();
  for (const TtaPart& part : result.parts) {
    parts.push_back({{"name", to_string(part.kind)},
                     {"network", part.network},
                     {"epochs", tta_number(part.epochs)},
                     {"share", tta_number(part.share)},
                     {"step_ms", tta_number(part.step_ms)},
                     {"interval", ends_of(part.between)}});
  }
  return parts;
}

ordered_json reach_json(const TtaResult& result, const std::optional<curves::Spread>& spread,
                        std::string_view over) {
  if (result.runs == 0) return nullptr;
  return {{"over", over},
          {"reached", result.reached},
          {"runs", result.runs},
          {"mean", spread ? tta_number(spread->mean) : ordered_json()},
          {"interval", spread ? ends_of(spread->interval) : ordered_json()},
          {"assumed", result.is_assumed}};
}

ordered_json spread_part(const curves::Spread& spread) {
  return {{"runs", spread.count},
          {"mean", tta_number(spread.mean)},
          {"interval", ends_of(spread.interval)},
          {"least", tta_number(spread.least)},
          {"most", tta_number(spread.most)}};
}

bool told_apart(const std::optional<curves::Difference>& difference) {
  return difference && difference->p_value < curves::kSignificant;
}

ordered_json budget_json(const std::optional<curves::WithinBudget>& budget) {
  if (!budget) return nullptr;
  const auto& value = budget->value;
  return {{"runs", budget->runs},
          {"reached", budget->reached},
          {"mean", value ? tta_number(value->mean) : ordered_json()},
          {"interval", value ? ends_of(value->interval) : ordered_json()}};
}

ordered_json final_difference_json(const std::optional<curves::Difference>& difference) {
  if (!difference) return nullptr;
  return {{"difference", tta_number(difference->mean)},
          {"p_value", tta_number(difference->p_value)},
          {"least_p", tta_number(difference->least_p)},
          {"told_apart", told_apart(difference)}};
}

ordered_json published_json(const std::optional<curves::PublishedFinal>& published) {
  if (!published) return nullptr;
  return {{"dense", tta_number(published->dense)},
          {"sparse", tta_number(published->sparse)},
          {"metric", published->metric},
          {"source", published->source},
          {"missing", published->missing}};
}

ordered_json extrapolated_json(const TtaResult& result) {
  if (!result.extrapolated_to_target) return nullptr;
  return {{"runs", result.extrapolated_to_target->count},
          {"to_target", tta_number(result.extrapolated_to_target->mean)},
          {"hours", tta_number(result.extrapolated_hours)}};
}

void add_speedup(ordered_json& json, const TtaResult& result) {
  const curves::SpeedupToTarget& against = result.compared;
  json["speedup"] = uncertain_json(against.speedup, "value");
  json["step_speedup"] = {{"value", tta_number(result.step_speedup)},
                          {"interval", ends_of(result.step_speedup_between)}};
  json["break_even"] = tta_number(result.break_even);
  const auto& difference = against.difference;
  json["p_value"] = difference ? tta_number(difference->p_value) : ordered_json();
  json["least_p"] = difference ? tta_number(difference->least_p) : ordered_json();
  json["told_apart"] =
      against.verdict == curves::Verdict::faster || against.verdict == curves::Verdict::slower;
  json["verdict"] = to_string(against.verdict);
}

ordered_json tta_result_json(const TtaResult& result, const TtaQuestion& question) {
  ordered_json json{
      {"machine", result.machine}, {"scheme", result.scheme}, {"against", result.against}};
  json["step_ms"] = {{"mean", tta_number(result.step_ms)},
                     {"interval", ends_of(result.step_between)},
                     {"sparse", tta_number(result.sparse_step_ms)}};
  json["parts"] = parts_json(result);
  json["to_target"] = reach_json(result, result.to_target, axis_name(question.over));
  json["epochs_to_target"] = reach_json(result, result.epochs_to_target, "epochs");
  json["hours"] = uncertain_json(result.hours, "mean");
  json["training_hours"] = tta_number(result.training_hours);
  add_speedup(json, result);
  json["within_budget"] = budget_json(result.within_budget);
  const TtaCurves* const curves = result.curves;
  const bool has_final = curves != nullptr && curves->has_points();
  json["final"] = has_final ? spread_part(curves->figures.final_value) : ordered_json();
  json["final_against"] = final_difference_json(result.final_difference);
  json["published"] = published_json(result.published);
  json["pareto"] = result.is_on_front ? ordered_json(*result.is_on_front) : ordered_json();
  json["extrapolated"] = extrapolated_json(result);
  json["evidence"] = result.evidence;
  ordered_json& points = json["points"] = ordered_json::array();
  for (const curves::TimedValue& point : result.points) {
    points.push_back({{"hours", tta_number(point.hours)}, {"mean", tta_number(point.value)}});
  }
  return json;
}

ordered_json front_json(const TtaFront& front, const TtaSummary& summary) {
  ordered_json points = ordered_json::array();
  for (const curves::TimedValue& point : front.points) {
    points.push_back({{"hours", tta_number(point.hours)},
                      {"mean", tta_number(point.value)},
                      {"scheme", summary.schemes[point.of]}});
  }
  return {{"machine", front.machine}, {"points", points}};
}

ordered_json comparison_json(const TtaComparison& comparison) {
  const SchemePair& pair = comparison.pair;
  return {{"machine", comparison.machine},
          {"scheme", pair.scheme},
          {"against", pair.against},
          {"step_ratio", tta_number(comparison.step_ratio)},
          {"step_ratio_pruning_free", tta_number(comparison.step_ratio_pruning_free)},
          {"published_step_ratio", tta_number(pair.published_step_ratio)},
          {"published_less_time", tta_number(pair.published_less_time)},
          {"implied_epochs", tta_number(comparison.implied_epochs)},
          {"implied_epochs_pruning_free", tta_number(comparison.implied_epochs_pruning_free)},
          {"source", pair.source}};
}

ordered_json ordering_json(const TtaOrdering& ordering) {
  ordered_json json{{"scheme", ordering.pair.scheme},
                    {"against", ordering.pair.against},
                    {"claim", ordering.pair.claim},
                    {"source", ordering.pair.source}};
  json["final"] = final_difference_json(ordering.final_value);
  return json;
}

ordered_json measured_json(const TtaMeasured& row) {
  const double hours = row.measured.hours();
  return {{"machine", row.measured.machine},
          {"scheme", row.measured.scheme},
          {"x", tta_number(row.measured.x)},
          {"measured_hours", tta_number(hours)},
          {"simulated_hours", tta_number(row.simulated_hours)},
          {"interval", ends_of(row.between)},
          {"error", tta_number(row.simulated_hours / hours - 1)},
          {"source", row.measured.source}};
}

ordered_json cell(double value) {
  return json_number(value, "a figure of time to accuracy");
}
ordered_json cell(const std::optional<double>& value) {
  return value ? cell(*value) : ordered_json();
}

/// What the table shows of a result.
ordered_json csv_row(const TtaResult& result) {
  const auto low = [](const std::optional<Uncertain>& figure) {
    return figure && figure->interval ? cell(figure->interval->low) : ordered_json();
  };
  const auto high = [](const std::optional<Uncertain>& figure) {
    return figure && figure->interval ? cell(figure->interval->high) : ordered_json();
  };
  const auto& speedup = result.compared.speedup;
  const auto& when = result.to_target;
  const bool has_budget = result.within_budget && result.within_budget->value;
  return {{"machine", result.machine},
          {"scheme", result.scheme},
          {"runs", result.runs},
          {"reached", result.reached},
          {"assumed", result.is_assumed},
          {"to_target", when ? cell(when->mean) : ordered_json()},
          {"step_ms", cell(result.step_ms)},
          {"hours", result.hours ? cell(result.hours->value) : ordered_json()},
          {"hours_low", low(result.hours)},
          {"hours_high", high(result.hours)},
          {"speedup", speedup ? cell(speedup->value) : ordered_json()},
          {"speedup_low", low(speedup)},
          {"speedup_high", high(speedup)},
          {"verdict", to_string(result.compared.verdict)},
          {"break_even", cell(result.break_even)},
          {"training_hours", cell(result.training_hours)},
          {"within_budget", has_budget ? cell(result.within_budget->value->mean) : ordered_json()},
          {"final", result.curves != nullptr && result.curves->has_points()
                        ? cell(result.curves->figures.final_value.mean)
                        : ordered_json()},
          {"pareto", result.is_on_front ? ordered_json(*result.is_on_front) : ordered_json()},
          {"evidence", result.evidence}};
}

}  // namespace

std::string tta_to_json(const TtaSummary& summary) {
  ordered_json document = document_head(kTtaSchema, summary.config_hash);
  document["config"] = {{"experiment", config_object(summary.resolved_experiment)},
                        {"time_to_accuracy", config_object(summary.resolved_config)}};
  document["question"] = question_json(summary);
  ordered_json& curves = document["curves"] = ordered_json::array();
  for (const TtaCurves& one : summary.curves) curves.push_back(curve_json(one));
  ordered_json& results = document["results"] = ordered_json::array();
  for (const TtaResult& result : summary.results) {
    results.push_back(tta_result_json(result, summary.question));
  }
  ordered_json& fronts = document["fronts"] = ordered_json::array();
  for (const TtaFront& front : summary.fronts) fronts.push_back(front_json(front, summary));
  ordered_json& comparisons = document["comparisons"] = ordered_json::array();
  for (const TtaComparison& one : summary.comparisons) comparisons.push_back(comparison_json(one));
  ordered_json& orderings = document["orderings"] = ordered_json::array();
  for (const TtaOrdering& one : summary.orderings) orderings.push_back(ordering_json(one));
  document["tests"] = count_of_tests(summary);
  ordered_json& measured = document["measured"] = ordered_json::array();
  for (const TtaMeasured& row : summary.measured) measured.push_back(measured_json(row));
  document["notes"] = summary.notes;
  return document_text(document);
}

std::string tta_to_csv(const TtaSummary& summary) {
  std::vector<ordered_json> rows;
  for (const TtaResult& result : summary.results) rows.push_back(csv_row(result));
  return to_csv(csv_row(TtaResult{}), rows);
}

}  // namespace stcsim
