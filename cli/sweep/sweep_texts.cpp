#include "cli/sweep/sweep_texts.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/base/output.hpp"
#include "common/io/json_text.hpp"
#include "common/io/table.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// Of an axis, in the table of a plan.
constexpr std::size_t kShownValues = 8;
/// Failures that a status shows.
constexpr std::size_t kShownFailures = 10;
/// What a GEMM takes of one core, with the choice of its kernel: 13 ms in the mean of
/// configs/spaces/ten_thousand.yaml, 23 ms in that of selector_widths.yaml.
constexpr double kSecondsPerGemm = 0.02;

std::string values_text(const Axis& axis) {
  if (axis.drawn) return fmt::format("{} to {}, drawn", axis.drawn->from, axis.drawn->to);
  std::string text;
  for (std::size_t at = 0; at < axis.values.size() && at < kShownValues; ++at) {
    text += (at == 0 ? "" : ", ") + axis.values[at]->label;
  }
  return text + (axis.values.size() > kShownValues ? ", ..." : "");
}

std::string axes_table(const Space& space) {
  Table table({{"axis"}, {"values", Align::right}, {"", Align::left, 0, true}});
  for (const Axis& axis : space.axes) {
    table.add_row(
        {axis.name, axis.drawn ? "any" : std::to_string(axis.values.size()), values_text(axis)});
  }
  return table.to_string(output_width());
}

std::int64_t done(const SweepTable& table) {
  return static_cast<std::int64_t>(table.rows.size());
}

}  // namespace

std::string plan_text(const SweepPlan& plan, const SweepForecast& all) {
  std::string text =
      fmt::format("space {}: {} points", plan.space.name, all.gemm_points + all.step_points);
  if (all.gemm_points > 0) text += fmt::format(", {} machine x GEMM", all.gemm_points);
  if (all.step_points > 0) text += fmt::format(", {} machine x step", all.step_points);
  text += fmt::format("; {} machines\n", all.machines);
  text += fmt::format("left: {} points", all.points_left);
  if (all.gemms > 0) {
    text += fmt::format(", for those of GEMMs {} different ones, about {:.0f} s of one core",
                        all.gemms, std::ceil(static_cast<double>(all.gemms) * kSecondsPerGemm));
  }
  text += "\n";
  return text + "\n" + axes_table(plan.space);
}

std::string plan_json(const SweepPlan& plan, const SweepForecast& all) {
  ordered_json json = document_head("stcsim.sweep_plan/1", plan.space.config_hash);
  json["config"] = config_object(plan.space.resolved_config);
  json["space"] = plan.space.name;
  json["points"] = all.gemm_points + all.step_points;
  json["gemm_points"] = all.gemm_points;
  json["step_points"] = all.step_points;
  json["machines"] = all.machines;
  json["points_left"] = all.points_left;
  json["gemms_to_simulate"] = all.gemms;
  json["axes"] = axes_json(plan.space);
  return document_text(json);
}

std::string outcome_text(const SweepOutcome& outcome, const std::filesystem::path& results) {
  std::string text = fmt::format("{}: {} points, {} simulated now, {} were there", results.string(),
                                 outcome.points, outcome.done, outcome.found);
  if (outcome.failed > 0) text += fmt::format(", {} failed", outcome.failed);
  if (outcome.found_failed > 0) {
    text += fmt::format(", {} had failed before (--retry-failed)", outcome.found_failed);
  }
  const std::int64_t of_steps = outcome.simulated_step_runs + outcome.found_step_runs;
  if (of_steps == 0 || outcome.simulated_gemms + outcome.found_gemms > 0) {
    text += fmt::format("; {} different GEMMs simulated, {} found", outcome.simulated_gemms,
                        outcome.found_gemms);
  }
  if (of_steps > 0) {
    text += fmt::format("; of steps {} different GEMMs and stream kernels simulated, {} found",
                        outcome.simulated_step_runs, outcome.found_step_runs);
  }
  return text + "\n";
}

std::string status_text(const SweepTable& table, const std::filesystem::path& results) {
  std::string text =
      fmt::format("{}: {} of {} points are done, {} failed, {} to do\n", results.string(),
                  done(table), table.points, table.failures.size(), table.missing);
  for (std::size_t at = 0; at < table.failures.size() && at < kShownFailures; ++at) {
    const auto& [point, message] = table.failures[at];
    text += fmt::format("point {} failed: {}\n", point, message);
  }
  if (table.failures.size() > kShownFailures) {
    text += fmt::format("and {} more (--format json has all)\n",
                        table.failures.size() - kShownFailures);
  }
  return text;
}

std::string status_json(const Space& space, const SweepTable& table) {
  ordered_json json = document_head("stcsim.sweep_status/1", space.config_hash);
  json["config"] = config_object(space.resolved_config);
  json["space"] = space.name;
  json["points"] = table.points;
  json["done"] = done(table);
  json["to_do"] = table.missing;
  json["failures"] = ordered_json::array();
  for (const auto& [point, message] : table.failures) {
    json["failures"].push_back({{"point", point}, {"message", message}});
  }
  return document_text(json);
}

}  // namespace stcsim
