#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/base/common_options.hpp"
#include "cli/base/output.hpp"
#include "cli/run/comparison_options.hpp"
#include "cli/run/study_command.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/catalog.hpp"
#include "common/io/next_command.hpp"
#include "common/io/text_file.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/version.hpp"
#include "reports/compare/comparison_report.hpp"
#include "reports/compare/golden.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

constexpr const char* kCheckWho = "stcsim check";
constexpr const char* kCheckNotes =
    "Simulates the experiment again, with its files as they are now, and compares it with the\n"
    "golden file as 'stcsim compare' does. Exit code 0 if cycles, times and speedups are the "
    "same,\n"
    "1 if not. --update records them anew; it is refused where the environment variable CI is\n"
    "set.\n";

constexpr struct CheckTable {
  Option arch = kCommon.arch.as("NAME,...", "on these machines instead: what would change there?");
  Option set = kCommon.set.like("machines.0.accelerator.num_sms=64");
  ComparisonTable comparison;
  Option update{"update", "", "replace the recorded figures by the present ones"};
  Option as_recorded{"as-recorded", "",
                     "with the configuration in the golden file, whatever its files say now"};
  StudyTable study;
} kCheck;
constexpr Option kGolden{"GOLDEN"};

struct CheckOptions {
  std::string file;
  bool update = false;
  bool as_recorded = false;
  StudyCommandOptions how;
  ComparisonOptions comparison;
  /// What --arch and --set replace.
  Overrides overrides;
};

/// What --arch and --set replace.
Overrides asked_overrides(const Arguments& arguments) {
  Overrides overrides;
  if (arguments.has(kCommon.arch)) {
    std::string machines;
    for (const std::string& name : comma_list(arguments, kCommon.arch)) {
      const auto file = std::filesystem::absolute(resolve_config(ConfigKind::machine, name, ""));
      machines += (machines.empty() ? "" : ", ") + nlohmann::json(file.string()).dump();
    }
    overrides.push_back("machines=[" + machines + "]");
  }
  for (const std::string& assignment : arguments.all(kCommon.set)) overrides.push_back(assignment);
  return overrides;
}

CheckOptions read_options(const Arguments& arguments) {
  CheckOptions options;
  options.file = arguments.text(kGolden);
  options.update = arguments.has(kCheck.update);
  options.as_recorded = arguments.has(kCheck.as_recorded);
  options.how = study_options_of(arguments);
  options.comparison = comparison_options_of(arguments);
  options.overrides = asked_overrides(arguments);
  for (const Option& option : {kComparison.rtol, kCommon.format, kCommon.layers, kCommon.html}) {
    arguments.allow_only_if(!options.update, option, "has no effect with --update");
  }
  for (const Option& option : {kCommon.arch, kCommon.set}) {
    arguments.allow_only_if(!options.update, option,
                            "asks what would be, and --update records what is: record another file "
                            "with 'stcsim record'");
  }
  const char* const ci = std::getenv("CI");
  if (options.update && ci != nullptr && *ci != '\0') {
    throw ConfigError("--update is refused in continuous integration (the variable CI is set)");
  }
  return options;
}

/// The file the experiment was read from; nothing, and a message, if it is not known or not there.
std::optional<std::filesystem::path> source_file(const CheckOptions& options,
                                                 const Golden& golden) {
  const std::string& name = golden.source.experiment;
  if (name.empty()) {
    write_message(kCheckWho, "note: " + options.file +
                                 " does not say where its experiment was read from: checked as it "
                                 "was recorded");
    return std::nullopt;
  }
  try {
    return resolve_config(ConfigKind::experiment, name,
                          std::filesystem::path(options.file).parent_path());
  } catch (const ConfigError&) {
    write_message(kCheckWho, "note: the experiment '" + name + "' that " + options.file +
                                 " was recorded from is not there: checked as it was recorded");
    return std::nullopt;
  }
}

/// The experiment as its files are now, or as it was recorded where that is asked for, or all that
/// is left.
Experiment experiment_to_check(const CheckOptions& options, const Golden& golden) {
  const auto as_recorded = [&] {
    return parse_resolved_experiment(golden.study.resolved_config, options.file, options.overrides);
  };
  if (options.as_recorded) return as_recorded();
  Overrides overrides = golden.source.overrides;
  overrides.insert(overrides.end(), options.overrides.begin(), options.overrides.end());
  if (!golden.source.question.empty()) {
    return load_experiment(parse_yaml(golden.source.question, options.file), overrides);
  }
  const std::optional<std::filesystem::path> file = source_file(options, golden);
  return file ? load_experiment(*file, overrides) : as_recorded();
}

int update(const CheckOptions& options, const Experiment& experiment, const GoldenSource& source) {
  AtomicFile output(options.file);
  const StudyResult study = run_study_with_progress(kCheckWho, experiment, options.how);
  const Golden golden = make_golden(study, source);
  output.write(golden_to_json(golden));
  output.commit();
  write_data(recorded_text(options.file, golden, study));
  write_data(next_lines({"stcsim check", shell_word(options.file)}, output_width()));
  return kExitFine;
}

int compare_with(const Arguments& arguments, const CheckOptions& options, const Golden& golden,
                 const Experiment& experiment, HtmlPage& page) {
  const StudyResult study = run_study_with_progress(kCheckWho, experiment, options.how);
  const Comparison comparison = compare_results(
      {options.file, golden.version, false, golden.study},
      {"this program", std::string(program_version()), false, study}, options.comparison.rtol);
  page.write([&] { return comparison_json(comparison); });
  write_data(comparison_as(comparison, options.comparison, output_width()));
  if (options.comparison.format == Format::table) write_data(software_lines(study));
  const bool may_update = !comparison.is_equal() && options.overrides.empty();
  write_next(arguments, {"stcsim check"},
             {shell_word(options.file), may_update ? "--update" : "--set KEY=VALUE"});
  return exit_code_of(comparison);
}

int check(const Arguments& arguments) {
  const CheckOptions options = read_options(arguments);
  HtmlPage page(arguments, kCheckWho);
  const std::string text = read_text_file(options.file, "a golden file");
  const Golden golden = golden_from_json(text, options.file, !options.update);
  const Experiment experiment = experiment_to_check(options, golden);
  return options.update ? update(options, experiment, golden.source)
                        : compare_with(arguments, options, golden, experiment, page);
}

}  // namespace

Command check_command() {
  return {"check",
          "Compare an experiment with a golden file",
          "GOLDEN [OPTIONS]",
          kCheckNotes,
          {kGolden},
          options_of<CheckTable>(),
          &check};
}

}  // namespace stcsim
