// What the actions of `stcsim sweep` say.
#include <cmath>

#include <fmt/format.h>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "common/io/table.hpp"
#include "reports/sweep/sweep_table.hpp"

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

std::string axes_table(const Space& space, std::size_t width) {
  Table table({{"axis"}, {"values", Align::right}, {"", Align::left, 0, true}});
  for (const Axis& axis : space.axes) {
    table.add_row(
        {axis.name, axis.drawn ? "any" : std::to_string(axis.values.size()), values_text(axis)});
  }
  return table.to_string(width);
}

/// All axes of a space: name, number of the dimension (the same of axes that are zipped), name of
/// the zip ("" if it has none), and the values' labels (none if they are drawn).
std::vector<ordered_json> axes_json(const Space& space) {
  const std::vector<std::string> names = names_of(space.axes);
  std::vector<ordered_json> axes(space.axes.size());
  for (std::size_t dimension = 0; dimension < space.dimensions.size(); ++dimension) {
    for (const std::size_t at : space.dimensions[dimension].axes) {
      const Axis& axis = space.axes[at];
      ordered_json values = ordered_json::array();
      for (const AxisValuePointer& value : axis.values) values.push_back(value->label);
      const AxisWords words = axis_words(axis.name, names);
      axes[at] = {{"name", axis.name},
                  {"title", words.name},
                  {"unit", words.unit},
                  {"dimension", dimension + 1},
                  {"zip", space.dimensions[dimension].name},
                  {"values", std::move(values)}};
    }
  }
  return axes;
}

std::vector<ordered_json> failures_json(const SweepTable& table) {
  return figures_of_each(table.failures, [](const auto& failure) {
    return figures({{"point", failure.first}, {"message", failure.second}});
  });
}

ordered_json head_json(const char* schema, const Space& space) {
  ordered_json document = document_head(schema, space.config_hash);
  add_figures(document, {{"config", config_object(space.resolved_config)}, {"space", space.name}});
  return document;
}

}  // namespace

std::string plan_text(const Space& space, const SweepForecast& all, std::size_t width) {
  std::string text =
      fmt::format("space {}: {} points", space.name, all.gemm_points + all.step_points);
  if (all.gemm_points > 0) text += fmt::format(", {} machine x GEMM", all.gemm_points);
  if (all.step_points > 0) text += fmt::format(", {} machine x step", all.step_points);
  text += fmt::format("; {} machines\n", all.machines);
  text += fmt::format("left: {} points", all.points_left);
  if (all.gemms > 0) {
    text += fmt::format(", for those of GEMMs {} different ones, about {:.0f} s of one core",
                        all.gemms, std::ceil(static_cast<double>(all.gemms) * kSecondsPerGemm));
  }
  text += "\n";
  return text + "\n" + axes_table(space, width);
}

std::string plan_json(const Space& space, const SweepForecast& all) {
  ordered_json document = head_json("stcsim.sweep_plan/1", space);
  add_figures(document, {{"points", all.gemm_points + all.step_points},
                         {"gemm_points", all.gemm_points},
                         {"step_points", all.step_points},
                         {"machines", all.machines},
                         {"points_left", all.points_left},
                         {"gemms_to_simulate", all.gemms},
                         {"axes", axes_json(space)}});
  return document_text(document);
}

std::string outcome_text(const SweepOutcome& outcome, const std::filesystem::path& results) {
  std::string text = fmt::format("{}: {} points, {} simulated now, {} were there", results.string(),
                                 outcome.points, outcome.done, outcome.found);
  if (outcome.failed > 0) text += fmt::format(", {} failed", outcome.failed);
  if (outcome.found_failed > 0) {
    text += fmt::format(", {} had failed before (--retry-failed)", outcome.found_failed);
  }
  const RunCounts& gemms = outcome.of_gemms;
  const RunCounts& steps = outcome.of_steps;
  const bool has_steps = steps.simulated + steps.found > 0;
  if (!has_steps || gemms.simulated + gemms.found > 0) {
    text += fmt::format("; {} different GEMMs simulated, {} found", gemms.simulated, gemms.found);
  }
  if (has_steps) {
    text += fmt::format("; of steps {} different GEMMs and stream kernels simulated, {} found",
                        steps.simulated, steps.found);
  }
  return text + "\n";
}

std::string status_text(const SweepTable& table, const std::filesystem::path& results) {
  std::string text =
      fmt::format("{}: {} of {} points are done, {} failed, {} to do\n", results.string(),
                  table.rows.size(), table.points, table.failures.size(), table.missing);
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
  ordered_json document = head_json("stcsim.sweep_status/1", space);
  add_figures(document, {{"points", table.points},
                         {"done", table.rows.size()},
                         {"to_do", table.missing},
                         {"failures", failures_json(table)}});
  return document_text(document);
}

std::string sweep_to_json(const Space& space, const SweepTable& table) {
  ordered_json document = head_json("stcsim.sweep/1", space);
  add_figures(document, {{"points", table.points},
                         {"missing", table.missing},
                         {"axes", axes_json(space)},
                         {"failures", failures_json(table)},
                         {"rows", table.rows}});
  return document_text(document);
}

std::string sweep_to_csv(const SweepTable& table) {
  return to_csv(table.shape, table.rows);
}

}  // namespace stcsim
