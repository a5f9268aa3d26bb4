#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "cli/check_json.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/output.hpp"
#include "cli/study_command.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/yaml_text.hpp"
#include "reports/golden.hpp"
#include "reports/golden_json.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

constexpr const char* kCheckWho = "stcsim check";
constexpr const char* kCheckNotes =
    "Simulates the experiment in the golden file again and compares the cycles. Exit code 0 if "
    "they\n"
    "are the same, 1 if not. --update records them anew; it is refused where the environment\n"
    "variable CI is set.\n";

struct CheckOptions {
  std::string file;
  double rtol = 0;
  bool update = false;
  StudyCommandOptions how;
  Format format = Format::table;
};

CheckOptions read_options(const Arguments& arguments) {
  CheckOptions options;
  options.file = arguments.text("GOLDEN");
  options.rtol = arguments.not_negative_or("rtol", 0);
  options.update = arguments.has("update");
  options.how = study_options_of(arguments);
  options.format = format_without_csv_of(arguments);
  arguments.allow_only_if(!options.update, "rtol", "has no effect with --update");
  arguments.allow_only_if(!options.update, "format", "has no effect with --update");
  const char* const ci = std::getenv("CI");
  if (options.update && ci != nullptr && *ci != '\0') {
    throw ConfigError("--update is refused in continuous integration (the variable CI is set)");
  }
  return options;
}

int update(const CheckOptions& options, const Experiment& experiment) {
  AtomicFile output(options.file);
  const StudyResult study = run_study_with_progress(kCheckWho, experiment, options.how);
  output.write(golden_to_json(make_golden(study, experiment.resolved_config)));
  output.commit();
  return kExitFine;
}

std::string table_of(const CheckOptions& options, const Golden& golden,
                     const std::vector<GoldenDifference>& differences) {
  if (differences.empty()) {
    return fmt::format("{}: all {} figures are the same\n", options.file, golden.entries.size());
  }
  return fmt::format("{}\n{}: {} differences, {} figures recorded\n",
                     differences_table(differences), options.file, differences.size(),
                     golden.entries.size());
}

int compare_with(const CheckOptions& options, const Golden& golden, const Experiment& experiment) {
  const StudyResult study = run_study_with_progress(kCheckWho, experiment, options.how);
  const auto differences = compare(golden, study, options.rtol);
  write_data(options.format == Format::json
                 ? check_to_json(options.file, golden, options.rtol, differences)
                 : table_of(options, golden, differences));
  if (!study.failures.empty()) return kExitFailed;
  return differences.empty() ? kExitFine : kExitDifferent;
}

int check(const Arguments& arguments) {
  const CheckOptions options = read_options(arguments);
  const Golden golden = golden_from_json(read_config_text(options.file), options.file);
  const Experiment experiment = parse_resolved_experiment(golden.experiment, options.file);
  return options.update ? update(options, experiment) : compare_with(options, golden, experiment);
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
  add_study_options(command.options);
  add_option(command.options, "format", "table|json", "form of the output (default table)");
  return command;
}

}  // namespace stcsim
