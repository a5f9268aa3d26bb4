#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "common/io/json_text.hpp"
#include "reports/curves/curves_report.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

ordered_json metric_json(const curves::Curve& curve) {
  return figures({{"metric", curve.metric},
                  {"over", to_string(curve.axis)},
                  {"points", curve.points.size()},
                  {"first_x", curve.points.front().x},
                  {"last_x", curve.points.back().x},
                  {"final", curve.points.back().value}});
}

ordered_json run_file_json(const curves::Run& run) {
  return figures({{"run", run.name},
                  {"format", run.format},
                  {"batch", ordered_json()},  // none of the formats says it
                  {"metrics", figures_of_each(run.curves, &metric_json)}});
}

ordered_json spread_json(const curves::Spread& spread) {
  return figures({{"runs", spread.count},
                  {"mean", spread.mean},
                  {"interval", spread.interval},
                  {"median", spread.median},
                  {"least", spread.least},
                  {"most", spread.most}});
}

ordered_json reaching_json(const curves::Reaching& reaching) {
  return figures({{"runs", reaching.runs},
                  {"reached", reaching.reached()},
                  {"when", figures_if(reaching.when, &spread_json)},
                  {"median_of_all", reaching.median_of_all}});
}

/// The mean curve of runs `first` to `last` - 1 of the summary.
std::vector<ordered_json> mean_curve_json(const CurvesSummary& summary, std::size_t first,
                                          std::size_t last) {
  std::vector<std::vector<curves::Point>> all;
  for (std::size_t run = first; run < last; ++run) {
    all.push_back(summary.runs[run].find(summary.options->metric)->points);
  }
  return figures_of_each(curves::mean_curve(all), &mean_point_json);
}

ordered_json run_json(const curves::RunFigures& run) {
  return figures({{"run", run.run},
                  {"points", run.points},
                  {"first_x", run.first_x},
                  {"last_x", run.last_x},
                  {"final", run.final_value},
                  {"best", run.best_value},
                  {"first_crossing", run.first_crossing},
                  {"smoothed_crossing", run.smoothed_crossing}});
}

ordered_json set_json(const curves::SetFigures& set) {
  return figures({{"runs", figures_of_each(set.runs, &run_json)},
                  {"final", spread_json(set.final_value)},
                  {"best", spread_json(set.best_value)},
                  {"first_crossing", figures_if(set.first_crossing, &reaching_json)},
                  {"smoothed_crossing", figures_if(set.smoothed_crossing, &reaching_json)}});
}

ordered_json difference_json(const curves::Difference& difference) {
  return figures({{"mean", difference.mean},
                  {"p_value", difference.p_value},
                  {"least_p", difference.least_p},
                  {"exact", difference.exact},
                  {"differ", difference.p_value < curves::kSignificant}});
}

ordered_json question_json(const CurvesSummary& summary) {
  if (!summary.options) return nullptr;
  const curves::AnalysisOptions& options = *summary.options;
  return figures({{"metric", options.metric},
                  {"over", to_string(summary.axis)},
                  {"lower_is_better", options.lower_is_better},
                  {"target", options.target},
                  {"smoothing_points", options.window},
                  {"seed", options.seed},
                  {"confidence", curves::kConfidence}});
}

}  // namespace

ordered_json mean_point_json(const curves::MeanPoint& point) {
  return figures({{"x", point.x},
                  {"runs", point.runs},
                  {"mean", point.mean},
                  {"least", point.least},
                  {"most", point.most}});
}

std::string curves_to_json(const CurvesSummary& summary) {
  ordered_json document = document_head(kCurvesSchema, summary.config_hash);
  add_figures(document, {{"question", question_json(summary)},
                         {"files", figures_of_each(summary.runs, &run_file_json)},
                         {"figures", figures_if(summary.figures, &set_json)},
                         {"against", figures_if(summary.against, &set_json)}});
  const std::size_t own = summary.figures ? summary.figures->runs.size() : 0;
  if (summary.figures) document["figures"]["curve"] = mean_curve_json(summary, 0, own);
  if (summary.against) {
    document["against"]["curve"] = mean_curve_json(summary, own, summary.runs.size());
  }
  document["difference"] = nullptr;
  if (summary.final_difference) {
    document["difference"] =
        figures({{"final", difference_json(*summary.final_difference)},
                 {"first_crossing", figures_if(summary.crossing_difference, &difference_json)}});
  }
  document["notes"] = figures_of_each(summary.notes, [](const curves::Note& note) {
    return figures({{"where", note.where}, {"note", note.text}});
  });
  return document_text(document);
}

std::string curves_to_csv(const CurvesSummary& summary) {
  std::string text = "run,metric,over,x,value\r\n";
  for (const curves::Run& run : summary.runs) {
    for (const curves::Curve& curve : run.curves) {
      if (summary.options && summary.options->metric != curve.metric) continue;
      const std::string front = fmt::format("{},{},{},", csv_field(run.name),
                                            csv_field(curve.metric), to_string(curve.axis));
      for (const curves::Point& point : curve.points) {
        text += fmt::format("{}{},{}\r\n", front, point.x, point.value);
      }
    }
  }
  return text;
}

}  // namespace stcsim
