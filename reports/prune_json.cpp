#include "reports/prune_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/json_text.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using pruning::AxisFigures;
using pruning::PruneSummary;

ordered_json optional_number(std::optional<double> value, std::string_view key) {
  return value ? json_number(*value, key) : ordered_json();
}

void write_quality(ordered_json& object, const pruning::Quality& quality) {
  object["elements"] = quality.elements;
  object["nonzeros"] = quality.nonzeros;
  object["kept"] = json_number(quality.kept(), "kept");
  object["l1_retained"] = optional_number(quality.l1_retained, "l1_retained");
  object["l2_retained"] = optional_number(quality.l2_retained, "l2_retained");
  object["mean_square_error"] = json_number(quality.mean_square_error, "mean_square_error");
  object["cosine"] = optional_number(quality.cosine, "cosine");
}

ordered_json axis_json(const AxisFigures& axis) {
  return {{"axis", axis.axis}, {"groups", axis.groups}, {"violations", axis.violations}};
}

ordered_json fit_json(const pruning::InputFit& fit) {
  return {{"zeros", json_number(fit.zeros, "zeros")},
          {"fitting", json_number(fit.fitting, "fitting")},
          {"probability", json_number(fit.probability, "probability")},
          {"likely_zeros", fit.likely_zeros}};
}

ordered_json diversity_json(const pruning::Diversity& diversity) {
  return {{"unstructured_log10", json_number(diversity.unstructured, "unstructured_log10")},
          {"pattern_log10", json_number(diversity.pattern, "pattern_log10")},
          {"sequential_log10", json_number(diversity.sequential, "sequential_log10")},
          {"transposable_log10", optional_number(diversity.transposable, "transposable_log10")},
          {"transposable_published_log10",
           optional_number(diversity.transposable_published, "transposable_published_log10")}};
}

ordered_json estimator_json(const PruneSummary& summary) {
  if (!summary.estimator) return nullptr;
  const pruning::EstimatorQuality& estimator = *summary.estimator;
  return {{"draws", estimator.draws},
          {"bias_rms", json_number(estimator.bias_rms, "bias_rms")},
          {"unbiased_rms", json_number(estimator.unbiased_rms, "unbiased_rms")},
          {"relative_variance", optional_number(estimator.relative_variance, "relative_variance")},
          {"closed_form_relative_variance",
           optional_number(summary.closed_form_variance, "closed_form_relative_variance")}};
}

ordered_json backward_json(const std::optional<pruning::BackwardFigures>& backward) {
  if (!backward) return nullptr;
  return {{"kept", json_number(backward->kept, "kept")},
          {"extra_zeros", json_number(backward->extra_zeros, "extra_zeros")},
          {"expected_extra_zeros", json_number(backward->expected_extra, "expected_extra_zeros")}};
}

ordered_json calibration_json(const std::optional<pruning::CalibrationFigures>& calibration) {
  if (!calibration) return nullptr;
  return {{"masked_error", json_number(calibration->masked, "masked_error")},
          {"absorbed_error", json_number(calibration->absorbed, "absorbed_error")},
          {"trained_error", json_number(calibration->trained, "trained_error")}};
}

void write_summary(ordered_json& object, const PruneSummary& summary) {
  object["scheme"] = summary.scheme;
  object["pattern"] = summary.pattern.to_string();
  object["input"] = summary.input;
  object["shape"] = fmt::format("{}", fmt::join(summary.shape, "x"));
  write_quality(object, summary.quality);
  object["groups"] = axis_json(summary.axes.front());
  object["second_groups"] =
      summary.axes.size() > 1 ? axis_json(summary.axes.back()) : ordered_json();
  object["input_fit"] = fit_json(summary.fit);
  object["masks"] = diversity_json(summary.diversity);
  object["estimator"] = estimator_json(summary);
  object["optimum_ratio"] = optional_number(summary.optimum_ratio, "optimum_ratio");
  object["backward"] = backward_json(summary.backward);
  object["calibration"] = calibration_json(summary.calibration);
  object["beta"] = optional_number(summary.beta, "beta");
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
