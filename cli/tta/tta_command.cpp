#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/run/experiment_options.hpp"
#include "cli/run/study_command.hpp"
#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_value.hpp"
#include "reports/tta/tta_report.hpp"
#include "reports/tta/tta_run.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

constexpr const char* kTtaWho = "stcsim tta";
constexpr const char* kTtaNotes =
    "EXPERIMENT is an experiment with a map 'time_to_accuracy', which says how long trainings are\n"
    "and where their learning curves lie (docs/accuracy.md).\n\n"
    "  stcsim tta tta_resnet9\n"
    "  stcsim tta mine.yaml --target 94.5 --budget 2h\n"
    "  stcsim tta --network resnet50 --arch a100 --samples-per-epoch 1281167 --target 75.5 \\\n"
    "      --curves 'dense=runs/dense*.csv' --curves 'sdgp=runs/sdgp*.csv'\n"
    "  stcsim tta pays_resnet50 --target dense-0.3\n"
    "  stcsim tta gpt2_774m --target dense+0.02nats\n";

using nlohmann::ordered_json;

constexpr struct TtaTable {
  ExperimentTable experiment;
  Option samples_per_epoch{"samples-per-epoch", "N", "in the data that --network trains on"};
  Option epochs{"epochs", "N", "epochs of a whole training (default: the longest curve's)"};
  Option curves = Option{"curves", "SCHEME=FILES",
                         "files of a scheme's runs, a pattern with *; may be repeated"}
                      .repeated();
  Option target = kCommon.target.as(
      "X",
      "value of the metric that is to be reached, or so much worse than where dense ends: "
      "dense-POINTS, of a loss dense+NATS (default: the file's)");
  Option budget{"budget", "TIME", "also say what is reached in this time, e.g. 2h (s, min, h, d)"};
  Option metric = kCommon.metric.as(
      "NAME", "which of the curves (default: the file's, or the only one there is)");
  Option seed = kCommon.seed;
  Option set = kCommon.set.like("time_to_accuracy.epochs=90");
  StudyTable study;
  Option format =
      kCommon.format.as("table|json|csv|markdown", "form of the output (default table)");
  Option html = kCommon.html;
  Option svg = kCommon.svg;
} kTta;

/// Hours of "2h", "90min", "45s", "1.5d", "1hour".
std::optional<double> budget_of(const Arguments& arguments) {
  if (!arguments.has(kTta.budget)) return std::nullopt;
  constexpr std::array<std::pair<std::string_view, double>, 4> kTimeUnits{
      {{"min", 1.0 / 60}, {"h", 1}, {"d", 24}, {"s", 1.0 / 3600}}};
  const std::string text = arguments.text(kTta.budget);
  const std::size_t digits = text.find_last_of("0123456789.") + 1;  // npos + 1 is 0
  for (const auto& [unit, hours] : kTimeUnits) {
    if (!text.substr(digits).starts_with(unit)) continue;
    YamlNode number;
    number.kind = YamlKind::scalar;
    number.text = text.substr(0, digits);
    const std::optional<double> value = double_of(number);
    if (value && *value > 0) return *value * hours;
  }
  arguments.refuse(kTta.budget, "a time above 0 with its unit: 45s, 90min, 2h or 1.5d");
}

/// What an experiment's file would say of --samples-per-epoch, --epochs and --curves.
ordered_json asked_experiment(const Arguments& arguments) {
  std::vector<std::string> schemes;
  ordered_json trainings = ordered_json::array();
  for (const std::string& text : arguments.all(kTta.curves)) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
      throw ConfigError(fmt::format(
          "--curves is '{}', must be a scheme and its files, e.g. 'sdgp=runs/sdgp*.csv'", text));
    }
    schemes.push_back(text.substr(0, equals));
    trainings.push_back({{"scheme", schemes.back()}, {"curves", text.substr(equals + 1)}});
  }
  if (std::ranges::find(schemes, kBaselineScheme) == schemes.end()) {
    schemes.insert(schemes.begin(), std::string(kBaselineScheme));
  }
  ordered_json json = parse_json(
      experiment_text(arguments, std::filesystem::current_path(), schemes), "the experiment");
  ordered_json& training = json["time_to_accuracy"];
  training["samples_per_epoch"] = arguments.number(kTta.samples_per_epoch);
  if (arguments.has(kTta.epochs)) training["epochs"] = arguments.number(kTta.epochs);
  training["trainings"] = trainings;
  return json;
}

/// "tta_gpt2_774m" for gpt2_774m, a network with such an experiment.
std::string experiment_named(const std::string& name) {
  const std::string of_network = "tta_" + name;
  const bool is_network = !names_config(ConfigKind::experiment, name) &&
                          names_config(ConfigKind::experiment, of_network);
  return is_network ? of_network : name;
}

/// The file, or what the options say, with --set.
YamlDocument document_of(const Arguments& arguments) {
  YamlDocument document;
  if (arguments.has(kCommon.experiment)) {
    refuse_beside_file(arguments);
    for (const Option& option : {kTta.samples_per_epoch, kTta.epochs, kTta.curves}) {
      arguments.allow_only_if(false, option,
                              "has no effect on an EXPERIMENT: --set replaces values");
    }
    document =
        load_config(ConfigKind::experiment,
                    resolve_config(ConfigKind::experiment,
                                   experiment_named(arguments.text(kCommon.experiment)), ""));
  } else if (arguments.has(kExperiment.network)) {
    document = parse_yaml(asked_experiment(arguments).dump(), "--network");
    relocate(document.root, "--network");
  } else {
    throw ConfigError(
        "EXPERIMENT is missing, or --network, --arch, --samples-per-epoch and --curves");
  }
  apply_overrides(document.root, arguments.all(kCommon.set));
  return document;
}

TtaQuestion tta_question_of(const Arguments& arguments) {
  TtaQuestion question;
  question.curves.metric = arguments.text_or(kCommon.metric, "");
  if (arguments.has(kCommon.target)) {
    const AccuracyTarget target = accuracy_target_of(arguments);
    (target.is_loss ? question.points_below_dense : question.curves.target) = target.value;
  }
  question.budget_hours = budget_of(arguments);
  question.curves.seed = seed_of(arguments);
  return question;
}

/// Options that need curves, or a target, and have none.
void refuse_without_effect(const Arguments& arguments, const TtaSummary& summary) {
  const bool has_curves = !summary.curves.empty();
  for (const Option& option : {kCommon.target, kTta.budget, kCommon.metric}) {
    arguments.allow_only_if(has_curves, option,
                            "has no effect: the experiment has no curves (break-even is what can "
                            "be said without)");
  }
}

std::string text_of(const TtaSummary& summary, Format format) {
  if (format == Format::json) return tta_to_json(summary);
  if (format == Format::csv) return tta_to_csv(summary);
  if (format == Format::markdown) return tta_markdown(summary);
  return tta_text(summary, output_width());
}

int run_tta(const Arguments& arguments) {
  const Format format = format_of(arguments, kTta.format);
  StudyCommandOptions how = study_options_of(arguments);
  how.with_spread = true;
  HtmlPage page(arguments, kTtaWho);
  TtaQuestion question = tta_question_of(arguments);
  TtaQuery query = read_tta_query(document_of(arguments), std::move(question));
  refuse_without_effect(arguments, query.summary);
  const StudyResult study = answer_tta_query(query, [&](const Experiment& experiment) {
    return run_study_with_progress(kTtaWho, experiment, how);
  });
  page.write([&] { return tta_to_json(query.summary); });
  write_data(text_of(query.summary, format));
  std::vector<std::string> parts = arguments.again(
      {kCommon.experiment, kExperiment.network, kCommon.arch, kCommon.schemes, kCommon.dtype,
       kCommon.batch, kExperiment.framework, kTta.samples_per_epoch, kTta.epochs, kTta.curves,
       kCommon.target, kTta.budget, kCommon.metric, kCommon.seed, kCommon.set});
  parts.emplace_back("--html tta.html");
  write_next(arguments, {"stcsim tta"}, parts);
  return study.failures.empty() ? kExitFine : kExitFailed;
}

}  // namespace

Command tta_command() {
  return {"tta",
          "Time to accuracy: which scheme reaches a target first, and how sure that is",
          "(EXPERIMENT | --network NAME --arch NAME --samples-per-epoch N) [OPTIONS]",
          kTtaNotes,
          {kCommon.experiment.optional()},
          options_of<TtaTable>(),
          &run_tta};
}

}  // namespace stcsim
