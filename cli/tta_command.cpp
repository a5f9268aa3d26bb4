#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/html_page.hpp"
#include "cli/output.hpp"
#include "cli/study_command.hpp"
#include "common/error.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_value.hpp"
#include "reports/tta/tta_report.hpp"
#include "reports/tta/tta_run.hpp"

namespace stcsim {
namespace {

constexpr const char* kTtaWho = "stcsim tta";
constexpr const char* kTtaNotes =
    "EXPERIMENT is an experiment with a map 'time_to_accuracy', which says how long trainings are\n"
    "and where their learning curves lie (docs/accuracy.md).\n\n"
    "  stcsim tta tta_resnet9\n"
    "  stcsim tta mine.yaml --target 94.5 --budget 2h\n"
    "  stcsim tta pays_resnet50 --target dense-0.3\n";

/// Hours of "2h", "90min", "45s", "1.5d".
std::optional<double> budget_of(const Arguments& arguments) {
  if (!arguments.has("budget")) return std::nullopt;
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"min", 1.0 / 60}, {"h", 1}, {"d", 24}, {"s", 1.0 / 3600}}};
  const std::string text = arguments.text("budget");
  for (const auto& [unit, hours] : kUnits) {
    if (!text.ends_with(unit)) continue;
    YamlNode number;
    number.kind = YamlKind::scalar;
    number.text = text.substr(0, text.size() - unit.size());
    const std::optional<double> value = double_of(number);
    if (value && *value > 0) return *value * hours;
  }
  arguments.refuse("budget", "a time above 0 with its unit: 45s, 90min, 2h or 1.5d");
}

/// The file with --set and --metric.
YamlDocument document_of(const Arguments& arguments) {
  const std::string name = arguments.text("EXPERIMENT");
  YamlDocument document =
      load_config(ConfigKind::experiment, resolve_config(ConfigKind::experiment, name, ""));
  apply_overrides(document.root, arguments.all("set"));
  return document;
}

TtaOptions options_of(const Arguments& arguments) {
  TtaOptions options;
  if (arguments.has("target")) {
    const AccuracyTarget target = accuracy_target_of(arguments);
    (target.is_loss ? options.points_below_dense : options.target) = target.value;
  }
  options.budget_hours = budget_of(arguments);
  options.extrapolate = arguments.has("extrapolate");
  options.seed = static_cast<std::uint64_t>(
      arguments.integer_or("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
  return options;
}

/// Options that need curves, or a target, and have none.
void refuse_without_effect(const Arguments& arguments, const TtaSummary& summary) {
  const bool has_curves = !summary.curves.empty();
  const bool has_target = summary.question.curves.target.has_value();
  for (const char* const option : {"target", "budget", "metric"}) {
    arguments.allow_only_if(has_curves, option,
                            "has no effect: the experiment has no curves (break-even is what can "
                            "be said without)");
  }
  arguments.allow_only_if(has_curves && has_target, "extrapolate",
                          "has no effect without curves and --target");
}

std::string text_of(const TtaSummary& summary, Format format) {
  if (format == Format::json) return tta_to_json(summary);
  if (format == Format::csv) return tta_to_csv(summary);
  if (format == Format::markdown) return tta_markdown(summary);
  return tta_text(summary, output_width());
}

int run_tta(const Arguments& arguments) {
  const Format format =
      format_of(arguments, {Format::table, Format::json, Format::csv, Format::markdown});
  StudyCommandOptions how = study_options_of(arguments);
  how.with_spread = true;
  HtmlPage page(arguments, kTtaWho);
  const TtaOptions options = options_of(arguments);
  TtaQuery query = read_tta_query(document_of(arguments), options, arguments.text_or("metric", ""));
  refuse_without_effect(arguments, query.summary);
  const StudyResult study = answer_tta_query(query, [&](const Experiment& experiment) {
    return run_study_with_progress(kTtaWho, experiment, how);
  });
  page.write([&] { return tta_to_json(query.summary); });
  write_data(text_of(query.summary, format));
  return study.failures.empty() ? kExitFine : kExitFailed;
}

}  // namespace

Command tta_command() {
  Command command{"tta",
                  "Time to accuracy: which scheme reaches a target first, and how sure that is",
                  "EXPERIMENT [OPTIONS]",
                  kTtaNotes,
                  {"EXPERIMENT"},
                  boost::program_options::options_description("Options"),
                  &run_tta};
  add_option(
      command.options, "target", "X",
      "value of the metric that is to be reached, or dense-POINTS: so many below where dense "
      "ends (default: the file's)");
  add_option(command.options, "budget", "TIME",
             "also say what is reached in this time, e.g. 2h (s, min, h, d)");
  add_option(command.options, "metric", "NAME",
             "which of the curves (default: the file's, or the only one there is)");
  command.options.add_options()(
      "extrapolate", "continue runs that do not reach the target, by a power law; shown apart");
  add_option(command.options, "seed", "S", "seed of bootstrap and permutation test (default 1)");
  add_set_option(command.options, "time_to_accuracy.epochs=90");
  add_study_options(command.options);
  add_option(command.options, "format", "table|json|csv|markdown",
             "form of the output (default table)");
  add_html_option(command.options);
  return command;
}

}  // namespace stcsim
