#include "reports/prune/prune_report.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "common/io/format.hpp"
#include "common/io/table.hpp"

namespace stcsim {
namespace {

using pruning::AxisFigures;
using pruning::PruneSummary;

/// Six significant digits, or "-".
std::string number(std::optional<double> value) {
  return value ? fmt::format("{:.6g}", *value) : "-";
}

/// Binary choices per element that so many masks are, whatever the size of the tensor.
std::string bits(double log10, std::int64_t elements) {
  return fmt::format("{:.3f}", log10 / std::log10(2.0) / static_cast<double>(elements));
}

/// Lines of a table, name and figure.
class Lines {
 public:
  void add(const std::string& name, const std::string& figure) { table_.add_row({name, figure}); }
  void add(const std::string& name, std::optional<double> figure) {
    if (figure) add(name, number(figure));
  }
  void rule() { table_.add_rule(); }
  [[nodiscard]] std::string text() const { return table_.to_string(); }

 private:
  Table table_{{{"figure"}, {"value", Align::right}}};
};

void add_quality(Lines& lines, const pruning::Quality& quality) {
  lines.add("kept", format_percent(quality.kept()));
  lines.add("L1 retained", number(quality.l1_retained));
  lines.add("L2 retained", number(quality.l2_retained));
  lines.add("mean square error", number(quality.mean_square_error));
  lines.add("cosine", number(quality.cosine));
}

void add_estimator(Lines& lines, const PruneSummary& summary) {
  if (!summary.estimator) return;
  const pruning::EstimatorQuality& estimator = *summary.estimator;
  lines.rule();
  lines.add("draws", format_count(estimator.draws));
  lines.add("mean of the draws - x, rms", number(estimator.bias_rms));
  lines.add("  by chance, without bias", number(estimator.unbiased_rms));
  if (estimator.unbiased_rms > 0) {
    lines.add("  ratio (1: no bias)",
              fmt::format("{:.3f}", estimator.bias_rms / estimator.unbiased_rms));
  }
  lines.add("variance / sum x^2", number(estimator.relative_variance));
  lines.add("by formula", summary.closed_form_variance);
}

void add_axes(Lines& lines, const PruneSummary& summary) {
  lines.rule();
  for (const AxisFigures& axis : summary.axes) {
    lines.add(fmt::format("groups along axis {}", axis.axis), format_count(axis.groups));
    lines.add("  that violate the pattern", format_count(axis.violations));
  }
  lines.add("zeros before", format_percent(summary.fit.zeros));
  lines.add("groups that fitted before", format_percent(summary.fit.fitting));
  lines.add("  if zeros were independent", format_percent(summary.fit.probability));
  lines.add(fmt::format("zeros per {}, 95 % confident", summary.pattern.m),
            format_count(summary.fit.likely_zeros));
}

void add_scheme_figures(Lines& lines, const PruneSummary& summary) {
  lines.add("magnitude kept / optimum", summary.optimum_ratio);
  lines.add("scale beta", summary.beta);
  if (summary.backward) {
    lines.add("kept for dgrad", format_percent(summary.backward->kept));
    lines.add("zeros beyond forward's", format_percent(summary.backward->extra_zeros));
    lines.add("  if masks were independent", format_percent(summary.backward->expected_extra));
  }
  if (summary.calibration) {
    lines.add("calibration error, masked", number(summary.calibration->masked));
    lines.add("  absorbed", number(summary.calibration->absorbed));
    lines.add("  trained", number(summary.calibration->trained));
  }
}

void add_diversity(Lines& lines, const PruneSummary& summary) {
  const pruning::Diversity& diversity = summary.diversity;
  const std::int64_t elements = summary.quality.elements;
  const std::string pattern = summary.pattern.to_string();
  lines.rule();
  lines.add("mask diversity, bits per element", std::string());
  lines.add("  unstructured", bits(diversity.unstructured, elements));
  lines.add("  " + pattern, bits(diversity.pattern, elements));
  lines.add("  " + pattern + ", zeros adjacent", bits(diversity.sequential, elements));
  if (diversity.transposable) {
    lines.add("  " + pattern + ", transposable", bits(*diversity.transposable, elements));
  }
  if (diversity.transposable_published) {
    lines.add("    by the published formula", bits(*diversity.transposable_published, elements));
  }
}

using nlohmann::ordered_json;

ordered_json axis_json(const AxisFigures& axis) {
  return figures({{"axis", axis.axis}, {"groups", axis.groups}, {"violations", axis.violations}});
}

ordered_json fit_json(const pruning::InputFit& fit) {
  return figures({{"zeros", fit.zeros},
                  {"fitting", fit.fitting},
                  {"probability", fit.probability},
                  {"likely_zeros", fit.likely_zeros}});
}

ordered_json diversity_json(const pruning::Diversity& diversity) {
  return figures({{"unstructured_log10", diversity.unstructured},
                  {"pattern_log10", diversity.pattern},
                  {"sequential_log10", diversity.sequential},
                  {"transposable_log10", diversity.transposable},
                  {"transposable_published_log10", diversity.transposable_published}});
}

ordered_json backward_json(const pruning::BackwardFigures& backward) {
  return figures({{"kept", backward.kept},
                  {"extra_zeros", backward.extra_zeros},
                  {"expected_extra_zeros", backward.expected_extra}});
}

ordered_json calibration_json(const pruning::CalibrationFigures& calibration) {
  return figures({{"masked_error", calibration.masked},
                  {"absorbed_error", calibration.absorbed},
                  {"trained_error", calibration.trained}});
}

void write_summary(ordered_json& object, const PruneSummary& summary) {
  const pruning::Quality& quality = summary.quality;
  const auto estimator_json = [&](const pruning::EstimatorQuality& estimator) {
    return figures({{"draws", estimator.draws},
                    {"bias_rms", estimator.bias_rms},
                    {"unbiased_rms", estimator.unbiased_rms},
                    {"relative_variance", estimator.relative_variance},
                    {"closed_form_relative_variance", summary.closed_form_variance}});
  };
  const AxisFigures* const second = summary.axes.size() > 1 ? &summary.axes.back() : nullptr;
  add_figures(object, {{"scheme", summary.scheme},
                       {"pattern", summary.pattern},
                       {"input", summary.input},
                       {"shape", fmt::format("{}", fmt::join(summary.shape, "x"))},
                       {"elements", quality.elements},
                       {"nonzeros", quality.nonzeros},
                       {"kept", quality.kept()},
                       {"l1_retained", quality.l1_retained},
                       {"l2_retained", quality.l2_retained},
                       {"mean_square_error", quality.mean_square_error},
                       {"cosine", quality.cosine},
                       {"groups", axis_json(summary.axes.front())},
                       {"second_groups", figures_if(second, &axis_json)},
                       {"input_fit", fit_json(summary.fit)},
                       {"masks", diversity_json(summary.diversity)},
                       {"estimator", figures_if(summary.estimator, estimator_json)},
                       {"optimum_ratio", summary.optimum_ratio},
                       {"backward", figures_if(summary.backward, &backward_json)},
                       {"calibration", figures_if(summary.calibration, &calibration_json)},
                       {"beta", summary.beta}});
}

/// The summary with every part there, so that no column depends on the scheme.
ordered_json full_shape(const PruneSummary& summary) {
  PruneSummary complete = summary;
  complete.axes.resize(2);
  complete.estimator.emplace();
  complete.backward.emplace();
  complete.calibration.emplace();
  ordered_json shape = document_head(kPruneSchema, complete.config_hash);
  write_summary(shape, complete);
  return shape;
}

}  // namespace

std::string prune_text(const PruneSummary& summary) {
  Lines lines;
  add_quality(lines, summary.quality);
  add_scheme_figures(lines, summary);
  add_estimator(lines, summary);
  add_axes(lines, summary);
  add_diversity(lines, summary);
  std::string text =
      fmt::format("{} pruned to {} by {} along axis {}\n\n", fmt::join(summary.shape, "x"),
                  summary.pattern.to_string(), summary.scheme, summary.axes.front().axis);
  text += lines.text();
  if (!summary.files.empty()) text += "\n";
  for (const auto& [kind, path] : summary.files) text += fmt::format("{}: {}\n", kind, path);
  return text;
}

std::string prune_to_json(const PruneSummary& summary) {
  ordered_json document = document_head(kPruneSchema, summary.config_hash);
  document["config"] = config_object(summary.resolved_config);
  write_summary(document, summary);
  document["files"] = ordered_json::object();
  for (const auto& [kind, path] : summary.files) document["files"][kind] = path;
  return document_text(document);
}

std::string prune_to_csv(const PruneSummary& summary) {
  ordered_json row = document_head(kPruneSchema, summary.config_hash);
  write_summary(row, summary);
  return to_csv(full_shape(summary), {row});
}

}  // namespace stcsim
