#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/gemm/gemm_options.hpp"
#include "cli/gemm/gemm_simulation.hpp"
#include "cli/run/experiment_options.hpp"
#include "cli/run/study_command.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/catalog.hpp"
#include "common/io/format.hpp"
#include "common/io/text_file.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/version.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/compare/result_file.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

/// How two results are compared and shown, in `compare` and `check`.
struct ComparisonOptions {
  double rtol = 0;
  bool all_rows = false;
  Format format = Format::table;
};

struct ComparisonTable {
  Option rtol{"rtol", "X", "relative difference to tolerate (default 0)"};
  Option layers = kCommon.layers.as("", "show all lines that changed, not the first dozen");
  Option format =
      kCommon.format.as("table|json|markdown|junit", "form of the output (default table)");
  Option html = kCommon.html;
  Option svg = kCommon.svg;
};
constexpr ComparisonTable kComparison;

ComparisonOptions comparison_options_of(const Arguments& arguments) {
  ComparisonOptions options;
  options.rtol = arguments.not_negative_or(kComparison.rtol, 0);
  options.all_rows = arguments.has(kCommon.layers);
  options.format = format_of(arguments, kComparison.format);
  return options;
}

std::string comparison_as(const Comparison& comparison, const ComparisonOptions& options,
                          std::size_t width) {
  if (options.format == Format::json) return comparison_json(comparison);
  if (options.format == Format::junit) return comparison_junit(comparison);
  return options.format == Format::markdown ? comparison_markdown(comparison, options.all_rows)
                                            : comparison_text(comparison, options.all_rows, width);
}

int exit_code_of(const Comparison& comparison) {
  if (!comparison.now.study.failures.empty()) return kExitFailed;
  return comparison.is_equal() ? kExitFine : kExitDifferent;
}

/// The two results.
struct ComparedArguments {
  Option a = Option{"A"}.like(": two results, as in 'stcsim compare before.json now.json'");
  Option b{"B"};
};
constexpr ComparedArguments kCompared;

constexpr const char* kCompareWho = "stcsim compare";
constexpr const char* kCompareNotes =
    "A and B are results: what 'run' or 'gemm' wrote with --format json, a folder of 'run --out',\n"
    "or a golden file of 'record'. Without B, --set runs A's configuration again, with other\n"
    "values. First comes what changed in the answer and which values differ, then layers, those\n"
    "that change most of it first. Exit code 1 if anything moved by more than --rtol.\n\n"
    "  stcsim compare out/before out/after\n"
    "  stcsim compare results.json --set machines.0.accelerator.l2_cache.read_bytes_per_clk=2560\n";

/// A, as it is when it is run now with other values.
ComparedResult run_again(const Arguments& arguments, const ComparedResult& recorded) {
  const std::vector<std::string> overrides = arguments.all(kCommon.set);
  const std::string name =
      fmt::format("{} --set {}", recorded.name, fmt::join(overrides, " --set "));
  if (recorded.is_gemm) {
    const GemmOptions options =
        recorded_gemm_options(recorded.study.resolved_config, recorded.name, overrides);
    MachineRunner runner(options.machine);
    return result_from_json(gemm_to_json(simulate_gemm(options, runner)), name);
  }
  const Experiment experiment =
      parse_resolved_experiment(recorded.study.resolved_config, recorded.name, overrides);
  StudyCommandOptions how = study_options_of(arguments);
  how.is_quiet = true;
  return {name, std::string(program_version()), false,
          run_study_with_progress(kCompareWho, experiment, how)};
}

int compare(const Arguments& arguments) {
  const ComparisonOptions options = comparison_options_of(arguments);
  const bool has_other = arguments.has(kCompared.b);
  arguments.allow_only_if(!has_other, kCommon.set,
                          "goes without B: it runs A again, with other values");
  if (!has_other && !arguments.has(kCommon.set)) {
    throw ConfigError("B is missing, or --set KEY=VALUE, which runs A again with that");
  }
  Output output(arguments);
  HtmlPage page(arguments, kCompareWho);
  ComparedResult before = read_result(arguments.text(kCompared.a));
  ComparedResult now =
      has_other ? read_result(arguments.text(kCompared.b)) : run_again(arguments, before);
  if (before.is_gemm != now.is_gemm) {
    throw ConfigError(
        fmt::format("'{}' is of one GEMM and '{}' is not: they have no figure in "
                    "common",
                    (before.is_gemm ? before : now).name, (before.is_gemm ? now : before).name));
  }
  const Comparison comparison = compare_results(std::move(before), std::move(now), options.rtol);
  page.write([&] { return comparison_json(comparison); });
  output.write(comparison_as(comparison, options, output.width()));
  if (comparison.is_equal()) {
    write_next(arguments, {"stcsim compare"},
               {shell_word(arguments.text(kCompared.a)), "--set KEY=VALUE"});
  } else {
    std::vector<std::string> parts =
        arguments.again({kCompared.a, kCompared.b, kCommon.set, kComparison.rtol});
    parts.emplace_back("--html compared.html");
    write_next(arguments, {"stcsim compare"}, parts);
  }
  return exit_code_of(comparison);
}

struct CompareTable {
  Option set = kCommon.set.like("machines.0.accelerator.num_sms=64");
  ComparisonTable comparison;
  StudyTable study;
  Option output = kCommon.output;
};

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

void refuse_beside_update(const Arguments& arguments) {
  for (const Option& option :
       {kComparison.rtol, kCommon.format, kCommon.layers, kCommon.html, kCommon.svg}) {
    arguments.allow_only_if(false, option, "has no effect with --update");
  }
  for (const Option& option : {kCommon.arch, kCommon.set}) {
    arguments.allow_only_if(false, option,
                            "asks what would be, and --update records what is: record another file "
                            "with 'stcsim record'");
  }
  const char* const ci = std::getenv("CI");
  if (ci != nullptr && *ci != '\0') {
    throw ConfigError("--update is refused in continuous integration (the variable CI is set)");
  }
}

/// The file the experiment was read from; nothing, and a message, if it is not known or not there.
std::optional<std::filesystem::path> source_file(const std::string& file, const Golden& golden) {
  const std::string& name = golden.source.experiment;
  if (name.empty()) {
    write_message(kCheckWho, "note: " + file +
                                 " does not say where its experiment was read from: checked as it "
                                 "was recorded");
    return std::nullopt;
  }
  try {
    return resolve_config(ConfigKind::experiment, name, std::filesystem::path(file).parent_path());
  } catch (const ConfigError&) {
    write_message(kCheckWho, "note: the experiment '" + name + "' that " + file +
                                 " was recorded from is not there: checked as it was recorded");
    return std::nullopt;
  }
}

/// The experiment as its files are now, or as it was recorded where that is asked for, or all that
/// is left.
Experiment experiment_to_check(const Arguments& arguments, const Golden& golden) {
  const std::string name = arguments.text(kGolden);
  const Overrides asked = asked_overrides(arguments);
  const auto as_recorded = [&] {
    return parse_resolved_experiment(golden.study.resolved_config, name, asked);
  };
  if (arguments.has(kCheck.as_recorded)) return as_recorded();
  Overrides overrides = golden.source.overrides;
  overrides.insert(overrides.end(), asked.begin(), asked.end());
  if (!golden.source.question.empty()) {
    return load_experiment(parse_yaml(golden.source.question, name), overrides);
  }
  const std::optional<std::filesystem::path> file = source_file(name, golden);
  return file ? load_experiment(*file, overrides) : as_recorded();
}

/// The software whose kernels ran on every machine: "software of a100: nvidia (dense ...)". Nothing
/// where the experiment names a kernel.
std::string software_lines(const StudyResult& study) {
  std::string text;
  std::string machine;
  for (const StudyTotal& total : study.totals) {
    if (total.machine == machine || total.stack.empty()) continue;
    machine = total.machine;
    text += fmt::format("software of {}: {}\n", machine, total.stack);
  }
  return wrap_lines(text, output_width());
}

/// Simulates the experiment into a golden file, and says so.
int record_in(const std::string& file, const std::string& who, const Experiment& experiment,
              const StudyCommandOptions& how, const GoldenSource& source) {
  AtomicFile output(file);
  const StudyResult study = run_study_with_progress(who, experiment, how);
  output.write(golden_to_json(make_golden(study, source)));
  output.commit();
  write_data(
      fmt::format("{}: {} figures recorded\n{}", file, study.rows.size(), software_lines(study)));
  write_data(next_lines({"stcsim check", shell_word(file)}, output_width()));
  return kExitFine;
}

int compare_with(const Arguments& arguments, const Golden& golden, const Experiment& experiment,
                 HtmlPage& page) {
  const std::string file = arguments.text(kGolden);
  const ComparisonOptions options = comparison_options_of(arguments);
  const StudyResult study =
      run_study_with_progress(kCheckWho, experiment, study_options_of(arguments));
  const Comparison comparison =
      compare_results({file, golden.version, false, golden.study},
                      {"this program", std::string(program_version()), false, study}, options.rtol);
  page.write([&] { return comparison_json(comparison); });
  write_data(comparison_as(comparison, options, output_width()));
  if (options.format == Format::table) write_data(software_lines(study));
  const bool may_update =
      !comparison.is_equal() && !arguments.has(kCommon.arch) && !arguments.has(kCommon.set);
  write_next(arguments, {"stcsim check"},
             {shell_word(file), may_update ? "--update" : "--set KEY=VALUE"});
  return exit_code_of(comparison);
}

int check(const Arguments& arguments) {
  const std::string file = arguments.text(kGolden);
  const bool updates = arguments.has(kCheck.update);
  const StudyCommandOptions how = study_options_of(arguments);
  static_cast<void>(comparison_options_of(arguments));  // refused before anything is read
  if (updates) refuse_beside_update(arguments);
  HtmlPage page(arguments, kCheckWho);
  const Golden golden = golden_from_json(read_text_file(file, "a golden file"), file, !updates);
  const Experiment experiment = experiment_to_check(arguments, golden);
  return updates ? record_in(file, kCheckWho, experiment, how, golden.source)
                 : compare_with(arguments, golden, experiment, page);
}

constexpr const char* kRecordWho = "stcsim record";
constexpr const char* kRecordNotes =
    "The file holds the cycles of every result, the whole experiment, a value on each line, and\n"
    "where it was read from:\n"
    "'stcsim check' compares with the experiment as it is now. An existing file is not replaced: "
    "'stcsim check FILE --update' does "
    "that.\n\n"
    "  stcsim record quick -o quick.json && stcsim check quick.json\n"
    "  stcsim record --network resnet50 --arch a100 --schemes asp -o mine.json\n";

void refuse_existing(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) return;
  throw ConfigError(
      fmt::format("--output is '{}', which exists; 'stcsim check {} --update' records "
                  "it again",
                  file, file));
}

/// What `check` needs to read the experiment again.
GoldenSource source_of(const Arguments& arguments, const std::filesystem::path& golden) {
  const auto folder = std::filesystem::absolute(golden).lexically_normal().parent_path();
  GoldenSource source{"", arguments.all(kCommon.set), ""};
  if (arguments.has(kCommon.experiment)) {
    source.experiment =
        name_from(folder, ConfigKind::experiment, arguments.text(kCommon.experiment));
  } else {
    source.question = experiment_text(arguments, folder);
  }
  return source;
}

int record(const Arguments& arguments) {
  const std::string file = arguments.text(kCommon.output);
  const StudyCommandOptions how = study_options_of(arguments);
  refuse_existing(file);
  const Experiment experiment = experiment_of(arguments);
  return record_in(file, kRecordWho, experiment, how, source_of(arguments, file));
}

struct RecordTable {
  Option output = kCommon.output.as("FILE", "the golden file (required)").or_letter('o');
  ExperimentTable experiment;
  Option set = kCommon.set.like("networks.0.batch=32");
  StudyTable study;
};

}  // namespace

Command compare_command() {
  return {"compare",
          "Say what differs between two results, and why",
          "A (B | --set KEY=VALUE) [OPTIONS]",
          kCompareNotes,
          {kCompared.a, kCompared.b.optional()},
          options_of<CompareTable>(),
          &compare};
}

Command check_command() {
  return {"check",
          "Compare an experiment with a golden file",
          "GOLDEN [OPTIONS]",
          kCheckNotes,
          {kGolden},
          options_of<CheckTable>(),
          &check};
}

Command record_command() {
  return {"record",
          "Record an experiment's cycles in a golden file",
          "(EXPERIMENT | --network NAME --arch NAME) -o FILE [OPTIONS]",
          kRecordNotes,
          {kCommon.experiment.optional()},
          options_of<RecordTable>(),
          &record};
}

}  // namespace stcsim
