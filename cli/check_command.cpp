#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/output.hpp"
#include "cli/study_command.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/catalog.hpp"
#include "common/io/json_text.hpp"
#include "common/io/text_file.hpp"
#include "common/io/text_fit.hpp"
#include "common/io/yaml_reader.hpp"
#include "reports/config_changes.hpp"
#include "reports/golden.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr const char* kCheckWho = "stcsim check";
constexpr const char* kCheckNotes =
    "Simulates the experiment again, with its files as they are now, and compares the cycles with\n"
    "those in the golden file. Says which keys of the configuration have changed. Exit code 0 if\n"
    "the cycles are the same, 1 if not. --update records them anew; it is refused where the\n"
    "environment variable CI is set.\n";

struct CheckOptions {
  std::string file;
  double rtol = 0;
  bool update = false;
  bool as_recorded = false;
  StudyCommandOptions how;
  Format format = Format::table;
};

CheckOptions read_options(const Arguments& arguments) {
  CheckOptions options;
  options.file = arguments.text("GOLDEN");
  options.rtol = arguments.not_negative_or("rtol", 0);
  options.update = arguments.has("update");
  options.as_recorded = arguments.has("as-recorded");
  options.how = study_options_of(arguments);
  options.format = format_of(arguments, {Format::table, Format::json});
  arguments.allow_only_if(!options.update, "rtol", "has no effect with --update");
  arguments.allow_only_if(!options.update, "format", "has no effect with --update");
  const char* const ci = std::getenv("CI");
  if (options.update && ci != nullptr && *ci != '\0') {
    throw ConfigError("--update is refused in continuous integration (the variable CI is set)");
  }
  return options;
}

/// The experiment a golden file is checked with.
struct Checked {
  Experiment experiment;
  std::vector<ConfigChange> changes;  // since it was recorded
};

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

/// An experiment without a file, as the files it names are now.
Experiment ask_again(const CheckOptions& options, const GoldenSource& source) {
  return load_experiment(parse_yaml(source.question, options.file), source.overrides);
}

Checked read_checked(const CheckOptions& options, const Golden& golden) {
  Checked checked{parse_resolved_experiment(golden.experiment, options.file), {}};
  if (options.as_recorded) return checked;
  std::optional<std::filesystem::path> file;
  const bool is_question = !golden.source.question.empty();
  if (!is_question) {
    file = source_file(options, golden);
    if (!file) return checked;
  }
  Experiment now = is_question ? ask_again(options, golden.source)
                               : load_experiment(*file, golden.source.overrides);
  checked.changes = config_changes(checked.experiment.resolved_config, now.resolved_config);
  checked.experiment = std::move(now);
  return checked;
}

int update(const CheckOptions& options, const Experiment& experiment, const GoldenSource& source) {
  AtomicFile output(options.file);
  const StudyResult study = run_study_with_progress(kCheckWho, experiment, options.how);
  const Golden golden = make_golden(study, experiment.resolved_config, source);
  output.write(golden_to_json(golden));
  output.commit();
  write_data(recorded_text(options.file, golden, study));
  return kExitFine;
}

std::string changed_lines(const std::vector<ConfigChange>& changes) {
  if (changes.empty()) return "";
  return wrap_lines(
             "The configuration has changed since it was recorded:\n" + changes_text(changes),
             output_width()) +
         "\n";
}

std::string table_of(const CheckOptions& options, const Golden& golden,
                     const std::vector<ConfigChange>& changes,
                     const std::vector<GoldenDifference>& differences) {
  const std::size_t width = output_width();
  if (differences.empty()) {
    return changed_lines(changes) +
           wrap_lines(fmt::format("{}: all {} figures are the same{}\n", options.file,
                                  golden.entries.size(),
                                  changes.empty() ? "" : ", though the configuration is not"),
                      width);
  }
  return differences_table(differences, width) + "\n" + changed_lines(changes) +
         wrap_lines(fmt::format("{}: {} differences, {} figures recorded\n", options.file,
                                differences.size(), golden.entries.size()),
                    width);
}

constexpr const char* kCheckSchema = "stcsim.check/1";

ordered_json figure(const std::optional<std::int64_t>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json difference_json(const GoldenDifference& difference) {
  const GoldenKey& key = difference.key;
  return {
      {"machine", key.machine},
      {"network", key.network},
      {"layer", key.layer},
      {"phase", key.phase},
      {"scheme", key.scheme},
      {"op", key.op},
      {"metric", key.metric},
      {"golden", figure(difference.golden)},
      {"now", figure(difference.now)},
      {"relative", std::isfinite(difference.relative) ? json_number(difference.relative, "relative")
                                                      : ordered_json()}};
}

/// Head, file, rtol, number of recorded figures, software, the keys of the configuration that have
/// changed, and one object per difference; `golden` and `now` are null where there is no figure,
/// `relative` where it is infinite.
std::string json_of(const CheckOptions& options, const StudyResult& study, const Golden& golden,
                    const std::vector<ConfigChange>& changes,
                    const std::vector<GoldenDifference>& differences) {
  ordered_json document = document_head(kCheckSchema, golden.config_hash);
  document["file"] = options.file;
  document["rtol"] = json_number(options.rtol, "rtol");
  document["figures"] = golden.entries.size();
  ordered_json& software = document["software"] = ordered_json::array();
  for (const auto& [machine, stack] : stacks_of(study)) {
    software.push_back({{"machine", machine}, {"stack", stack}});
  }
  ordered_json& changed = document["config_changes"] = ordered_json::array();
  for (const ConfigChange& change : changes) {
    changed.push_back({{"key", change.key}, {"golden", change.before}, {"now", change.now}});
  }
  ordered_json& list = document["differences"] = ordered_json::array();
  for (const GoldenDifference& difference : differences) {
    list.push_back(difference_json(difference));
  }
  return document_text(document);
}

int compare_with(const CheckOptions& options, const Golden& golden, const Checked& checked) {
  const StudyResult study = run_study_with_progress(kCheckWho, checked.experiment, options.how);
  const auto differences = compare(golden, study, options.rtol);
  write_data(options.format == Format::json
                 ? json_of(options, study, golden, checked.changes, differences)
                 : table_of(options, golden, checked.changes, differences) + software_lines(study));
  if (!study.failures.empty()) return kExitFailed;
  return differences.empty() ? kExitFine : kExitDifferent;
}

int check(const Arguments& arguments) {
  const CheckOptions options = read_options(arguments);
  const Golden golden =
      golden_from_json(read_text_file(options.file, "a golden file"), options.file);
  const Checked checked = read_checked(options, golden);
  return options.update ? update(options, checked.experiment, golden.source)
                        : compare_with(options, golden, checked);
}

}  // namespace

Command check_command() {
  Command command{"check",
                  "Compare an experiment's cycles with a golden file",
                  "GOLDEN [OPTIONS]",
                  kCheckNotes,
                  {"GOLDEN"},
                  boost::program_options::options_description("Options"),
                  &check};
  add_option(command.options, "rtol", "X", "relative difference to tolerate (default 0)");
  command.options.add_options()("update", "replace the recorded figures by the present ones");
  command.options.add_options()(
      "as-recorded", "with the configuration in the golden file, whatever its files say now");
  add_study_options(command.options);
  add_option(command.options, "format", "table|json", "form of the output (default table)");
  return command;
}

}  // namespace stcsim
