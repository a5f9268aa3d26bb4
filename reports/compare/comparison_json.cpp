#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/figures.hpp"
#include "reports/compare/comparison_report.hpp"
#include "reports/parts/study_groups.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

ordered_json side_json(const ComparedResult& side) {
  return figures({{"file", side.name},
                  {"version", side.version},
                  {"config_hash", side.study.config_hash},
                  {"failed", side.study.failures.size()}});
}

ordered_json step_figures(const StudyTotal& total) {
  return figures({{"time_us", total.step.time_us},
                  {"dense_time_us", total.step.dense_time_us},
                  {kSpeedupKey, total.training.speedup},
                  {"clock_mhz", total.clock_mhz}});
}

ordered_json step_json(const ComparedStep& step) {
  const StudyTotal& any = step.any();
  ordered_json object = figures({{"machine", any.machine},
                                 {"network", any.network},
                                 {"scheme", any.scheme},
                                 {"pass", any.pass},
                                 {"moved", step.moved},
                                 {"before", figures_if(step.before, &step_figures)},
                                 {"now", figures_if(step.now, &step_figures)}});
  object["relative"] = std::isfinite(step.relative()) ? ordered_json(step.relative()) : nullptr;
  return object;
}

ordered_json row_figures(const ResultRow& row) {
  return figures({{"cycles", row.cycles}, {"kernel", row.kernel.name}, {"bound_by", row.bound_by}});
}

ordered_json row_json_of(const ComparedRow& row) {
  const ResultRow& any = row.any();
  return figures({{"machine", any.machine},
                  {"network", any.network},
                  {"layers", row.layers},
                  {"phase", any.phase},
                  {"op", any.op},
                  {"schemes", row.schemes},
                  {"m", any.m},
                  {"n", any.n},
                  {"k", any.k},
                  {"batch_count", any.batch_count},
                  {"per_step", row.per_step},
                  {"change_us", row.change_us},
                  {"share", row.share},
                  {"before", figures_if(row.before, &row_figures)},
                  {"now", figures_if(row.now, &row_figures)}});
}

std::string change_of(const ComparedStep& step) {
  if (!step.before) return "new";
  if (!step.now) return "gone";
  return fmt::format("{} -> {}, speedup {} -> {}", format_time_us(step.before->step.time_us),
                     format_time_us(step.now->step.time_us),
                     format_speedup(step.before->training.speedup),
                     format_speedup(step.now->training.speedup));
}

bool is_of(const ComparedRow& row, const StudyTotal& step) {
  const ResultRow& any = row.any();
  return any.machine == step.machine && any.network == step.network && any.pass() == step.pass &&
         (row.schemes.empty() || std::ranges::find(row.schemes, step.scheme) != row.schemes.end());
}

std::string lines_of_step(const Comparison& comparison, const ComparedStep& step) {
  std::string text;
  for (const ComparedRow& row : comparison.rows) {
    if (!is_of(row, step.any())) continue;
    const auto cycles = [](const auto& one) { return one ? std::to_string(one->cycles) : "-"; };
    text +=
        fmt::format("{} {} {}: {} -> {} cycles\n", row.layers.front(), to_string(row.any().phase),
                    row.any().op, cycles(row.before), cycles(row.now));
  }
  return text;
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  ordered_json document = document_head(kComparisonSchema, comparison.now.study.config_hash);
  add_figures(document, {{"equal", comparison.is_equal()},
                         {"answer", comparison_answer(comparison)},
                         {"before", side_json(comparison.before)},
                         {"now", side_json(comparison.now)},
                         {"rtol", comparison.rtol},
                         {"figures", comparison.figures},
                         {"same", comparison.same}});
  document["config_changes"] = figures_of_each(comparison.config, [](const ConfigChange& change) {
    return figures({{"key", change.key}, {"before", change.before}, {"now", change.now}});
  });
  document["steps"] = figures_of_each(comparison.steps, &step_json);
  document["rows"] = figures_of_each(comparison.rows, &row_json_of);
  return document_text(document);
}

std::string comparison_junit(const Comparison& comparison) {
  std::string cases;
  std::size_t failures = 0;
  for (const ComparedStep& step : comparison.steps) {
    const std::string rows = lines_of_step(comparison, step);
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{}\"",
                         html_text(place_of(step.any())), html_text(step.any().scheme));
    if (!step.moved && rows.empty()) {
      cases += "/>\n";
      continue;
    }
    ++failures;
    cases += fmt::format(">\n    <failure message=\"{}\">{}</failure>\n  </testcase>\n",
                         html_text(change_of(step)), html_text(rows));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"stcsim compare\" "
      "tests=\"{}\" failures=\"{}\">\n{}  <system-out>{}</system-out>\n</testsuite>\n",
      comparison.steps.size(), failures, cases, html_text(comparison_answer(comparison)));
}

}  // namespace stcsim
