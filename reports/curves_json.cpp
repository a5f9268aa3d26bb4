#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/json_text.hpp"
#include "curves/pareto.hpp"
#include "reports/curves_report.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// A field by RFC 4180.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + "\"";
}

ordered_json number_or_null(std::optional<double> value, std::string_view key) {
  return value ? json_number(*value, key) : ordered_json();
}

ordered_json metrics_json(const curves::Run& run) {
  ordered_json metrics = ordered_json::array();
  for (const curves::Curve& curve : run.curves) {
    metrics.push_back({{"metric", curve.metric},
                       {"over", axis_name(curve.axis)},
                       {"points", curve.points.size()},
                       {"first_x", json_number(curve.points.front().x, "first_x")},
                       {"last_x", json_number(curve.points.back().x, "last_x")},
                       {"final", json_number(curve.points.back().value, "final")}});
  }
  return metrics;
}

ordered_json run_files_json(const CurvesSummary& summary) {
  ordered_json runs = ordered_json::array();
  for (const curves::Run& run : summary.runs) {
    runs.push_back({{"run", run.name},
                    {"format", run.format},
                    {"batch", number_or_null(run.batch, "batch")},
                    {"metrics", metrics_json(run)}});
  }
  return runs;
}

ordered_json spread_json(const curves::Spread& spread) {
  ordered_json interval;
  if (spread.interval) {
    interval = {json_number(spread.interval->low, "low"),
                json_number(spread.interval->high, "high")};
  }
  return {{"runs", spread.count},
          {"mean", json_number(spread.mean, "mean")},
          {"interval", interval},
          {"median", json_number(spread.median, "median")},
          {"least", json_number(spread.least, "least")},
          {"most", json_number(spread.most, "most")}};
}

ordered_json reaching_json(const std::optional<curves::Reaching>& reaching) {
  if (!reaching) return nullptr;
  return {{"runs", reaching->runs},
          {"reached", reaching->reached()},
          {"when", reaching->when ? spread_json(*reaching->when) : ordered_json()},
          {"median_of_all", number_or_null(reaching->median_of_all, "median_of_all")}};
}

/// The mean curve of runs `first` to `last` - 1 of the summary.
ordered_json mean_curve_json(const CurvesSummary& summary, std::size_t first, std::size_t last) {
  std::vector<std::vector<curves::Point>> all;
  for (std::size_t run = first; run < last; ++run) {
    all.push_back(summary.runs[run].find(summary.options->metric)->points);
  }
  ordered_json points = ordered_json::array();
  for (const curves::MeanPoint& point : curves::mean_curve(all)) {
    points.push_back({{"x", json_number(point.x, "x")},
                      {"runs", point.runs},
                      {"mean", json_number(point.mean, "mean")},
                      {"least", json_number(point.least, "least")},
                      {"most", json_number(point.most, "most")}});
  }
  return points;
}

ordered_json set_json(const curves::SetFigures& set) {
  ordered_json runs = ordered_json::array();
  for (const curves::RunFigures& run : set.runs) {
    runs.push_back(
        {{"run", run.run},
         {"points", run.points},
         {"first_x", json_number(run.first_x, "first_x")},
         {"last_x", json_number(run.last_x, "last_x")},
         {"final", json_number(run.final_value, "final")},
         {"best", json_number(run.best_value, "best")},
         {"first_crossing", number_or_null(run.first_crossing, "first_crossing")},
         {"smoothed_crossing", number_or_null(run.smoothed_crossing, "smoothed_crossing")},
         {"extrapolated_crossing",
          number_or_null(run.extrapolated_crossing, "extrapolated_crossing")}});
  }
  return {{"runs", runs},
          {"final", spread_json(set.final_value)},
          {"best", spread_json(set.best_value)},
          {"first_crossing", reaching_json(set.first_crossing)},
          {"smoothed_crossing", reaching_json(set.smoothed_crossing)}};
}

ordered_json difference_json(const curves::Difference& difference) {
  return {{"mean", json_number(difference.mean, "mean")},
          {"p_value", json_number(difference.p_value, "p_value")},
          {"least_p", json_number(difference.least_p, "least_p")},
          {"exact", difference.exact},
          {"differ", difference.p_value < curves::kSignificant}};
}

ordered_json comparison_json(const std::optional<curves::SetComparison>& comparison) {
  if (!comparison) return nullptr;
  const auto& crossing = comparison->first_crossing;
  return {{"final", difference_json(comparison->final_value)},
          {"first_crossing", crossing ? difference_json(*crossing) : ordered_json()}};
}

ordered_json question_json(const CurvesSummary& summary) {
  if (!summary.options) return nullptr;
  const curves::AnalysisOptions& options = *summary.options;
  return {{"metric", options.metric},
          {"over", axis_name(summary.axis)},
          {"lower_is_better", options.lower_is_better},
          {"target", number_or_null(options.target, "target")},
          {"smoothing_points", options.window},
          {"extrapolated_by", options.extrapolate ? ordered_json("power law") : ordered_json()},
          {"seed", options.seed},
          {"confidence", curves::kConfidence}};
}

}  // namespace

std::string curves_to_json(const CurvesSummary& summary) {
  ordered_json document = document_head(kCurvesSchema, summary.config_hash);
  document["question"] = question_json(summary);
  document["files"] = run_files_json(summary);
  document["figures"] = summary.figures ? set_json(*summary.figures) : ordered_json();
  document["against"] = summary.against ? set_json(*summary.against) : ordered_json();
  const std::size_t own = summary.figures ? summary.figures->runs.size() : 0;
  if (summary.figures) document["figures"]["curve"] = mean_curve_json(summary, 0, own);
  if (summary.against) {
    document["against"]["curve"] = mean_curve_json(summary, own, summary.runs.size());
  }
  document["difference"] = comparison_json(summary.comparison);
  document["notes"] = ordered_json::array();
  for (const curves::Note& note : summary.notes) {
    document["notes"].push_back({{"where", note.where.to_string()}, {"note", note.text}});
  }
  return document_text(document);
}

std::string curves_to_csv(const CurvesSummary& summary) {
  std::string text = "run,metric,over,x,value\r\n";
  for (const curves::Run& run : summary.runs) {
    for (const curves::Curve& curve : run.curves) {
      if (summary.options && summary.options->metric != curve.metric) continue;
      const std::string front = fmt::format("{},{},{},", csv_field(run.name),
                                            csv_field(curve.metric), axis_name(curve.axis));
      for (const curves::Point& point : curve.points) {
        text += fmt::format("{}{},{}\r\n", front, point.x, point.value);
      }
    }
  }
  return text;
}

}  // namespace stcsim
