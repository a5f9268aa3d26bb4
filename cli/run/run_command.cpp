#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <list>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/output.hpp"
#include "cli/base/progress.hpp"
#include "cli/run/experiment_options.hpp"
#include "cli/run/study_command.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/catalog.hpp"
#include "common/io/format.hpp"
#include "common/suggestion.hpp"
#include "reports/run/study_report.hpp"
#include "sim/job/result_store.hpp"
#include "sim/kernel/library.hpp"
#include "sim/parallel/parallel_study.hpp"
#include "sim/study/study.hpp"
#include "sim/study/study_plan.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {
namespace {

/// What remains of a study that was interrupted, and how it goes on.
std::string kept_text(const std::string& cache, const StudyProgress& progress) {
  if (cache.empty()) {
    return "nothing is kept; with --cache DIR the same command goes on where it was";
  }
  return fmt::format("{} of {} points are kept in {}; the same command goes on there",
                     progress.points_done, progress.points, cache);
}

StudyResult run_watched(const Experiment& experiment, const StudyCommandOptions& how,
                        StudyOptions options, ProgressBar& bar) {
  const InterruptWatch watch;
  StudyProgress last;
  options.on_progress = [&](const StudyProgress& progress) {
    last = progress;
    bar.update(progress);
  };
  options.interrupted = &InterruptWatch::interrupted;
  try {
    StudyResult result = how.with_spread ? run_study_with_spread(experiment, options)
                                         : run_study(experiment, options);
    if (InterruptWatch::interrupted()) throw StudyInterrupted();
    bar.wipe();
    return result;
  } catch (const StudyInterrupted&) {
    throw StudyInterrupted(kept_text(how.cache, last));
  }
}

/// Gradients in int8 or int4 are simulated as asked, but nobody trains so.
std::string integer_training_note(const Experiment& experiment) {
  const bool is_integer = experiment.dtype == DataType::int8 || experiment.dtype == DataType::int4;
  const bool trains = std::any_of(experiment.phases.begin(), experiment.phases.end(),
                                  [](Phase phase) { return phase != Phase::forward; });
  if (!is_integer || !trains) return "";
  return fmt::format(
      "dtype is {0}: the gradients of dgrad and wgrad are {0} too, in which no published scheme "
      "trains; for inference set phases=[inference]",
      to_string(experiment.dtype));
}

/// What there is to know of machines, networks and types before anything is simulated.
void write_notes(const std::string& who, const Experiment& experiment) {
  for (const MachineSpec& machine : experiment.machines) {
    for (const std::string& note : machine.config.notes) write_message(who, "note: " + note);
    const std::string stack = policy_of(experiment, machine.config).stack;
    const std::string mapped = mapping_note(machine.config, stack, experiment.dtype);
    if (!mapped.empty() && experiment.kernel == "auto") write_message(who, "note: " + mapped);
  }
  for (const Network& network : experiment.networks) {
    if (!network.note.empty()) {
      write_message(who, "note: " + network.name + ": " + network.note);
    }
  }
  if (const std::string note = integer_training_note(experiment); !note.empty()) {
    write_message(who, "note: " + note);
  }
}

void report_cache(const std::string& who, const ResultStore& store) {
  std::string line = fmt::format("cache: {} of {} points found in {}", store.found(), store.asked(),
                                 store.directory().string());
  if (store.not_stored() > 0) line += fmt::format("; {} not stored", store.not_stored());
  write_message(who, line);
}

constexpr const char* kRunWho = "stcsim run";
constexpr const char* kRunNotes =
    "EXPERIMENT is a path, or the name of a shipped experiment ('stcsim list experiments'). --out\n"
    "writes results.json, results.csv, totals.csv and report.txt into DIR, each complete or not "
    "at\n"
    "all. If points of the study fail, the others are still written and the exit code is 3.\n\n"
    "  stcsim run quick\n"
    "  stcsim run --network resnet50 --arch a100 --schemes asp,sdgp\n"
    "  stcsim run --network bert_base_s384 --arch a100 --schemes all\n"
    "  stcsim run --network config.json --system dgx_h100 --gpus 1,8 --parallel fsdp --schemes "
    "slope\n"
    "  stcsim run demo --jobs auto --out out/demo --set networks.0=resnet18\n";

std::string report_with_layers(const StudyResult& study) {
  const std::string text = study_report(study, {.layers = true, .notes = true});
  return study.parallel.empty() ? text : parallel_report(study, kAnyWidth) + "\n" + text;
}

struct OutputFile {
  const char* name;
  std::string (*text)(const StudyResult&);
};
constexpr std::array<OutputFile, 4> kOutputFiles{{
    {"results.json", &study_to_folded_json},
    {"results.csv", &results_to_folded_csv},
    {"totals.csv", &totals_to_csv},
    {"report.txt", &report_with_layers},
}};

/// The files of --out. Constructed before the study runs: a directory that cannot be written must
/// not cost a simulation.
class OutputDirectory {
 public:
  explicit OutputDirectory(const std::filesystem::path& directory) {
    create_output_directory(directory);
    for (const OutputFile& file : kOutputFiles) files_.emplace_back(directory / file.name);
  }

  void write(const StudyResult& study) {
    auto file = files_.begin();
    for (const OutputFile& output : kOutputFiles) (file++)->write(output.text(study));
    for (AtomicFile& complete : files_) complete.commit();
  }

 private:
  std::list<AtomicFile> files_;  // in the order of kOutputFiles
};

constexpr struct RunTable {
  ExperimentTable experiment;
  Option set = kCommon.set.like("networks.0.batch=32");
  StudyTable study;
  Option no_overhead = kSchemeWork.no_overhead;
  Option no_spread = kCommon.no_spread;
  Option pruning_kernels = kSchemeWork.pruning_kernels;
  Option functional = kCommon.functional.as("",
                                            "carry values, pruned as each scheme prunes, and "
                                            "compare every C with a reference GEMM (slow: "
                                            "about a second for 10^9 multiply-accumulates)");
  Option out = kCommon.out.as("DIR", "also write all results into this directory");
  Option format = kCommon.format.as("table|json|csv|markdown",
                                    "form of the data on standard output (default table)");
  Option html = kCommon.html;
  Option svg = kCommon.svg;
  Option layers =
      kCommon.layers.as("", "print also phases, parts of the step, memory, losses and all layers");
  Option notes{"notes", "", "print also what ran dense, and why"};
} kRun;

/// The command worth running where no scheme lost anything: the same with all schemes, or if these
/// were all, the products that there are.
std::vector<std::string> next_run(const Arguments& arguments) {
  if (!arguments.has(kExperiment.network)) return {};
  if (same_but_case(arguments.text_or(kCommon.schemes, ""), kAllSchemes)) {
    return {"stcsim list layers", shell_word(comma_list(arguments, kExperiment.network).front())};
  }
  std::vector<std::string> parts{"stcsim run"};
  for (const std::string& part : arguments.again(
           {kExperiment.network, kCommon.arch, kExperiment.system, kExperiment.gpus,
            kCommon.parallel, kCommon.phase, kCommon.dtype, kCommon.batch, kSizes.tokens,
            kSizes.size, kExperiment.framework, kCommon.clock, kCommon.set})) {
    parts.push_back(part);
  }
  parts.push_back(std::string("--schemes ") + kAllSchemes);
  return parts;
}

/// How --arch and --network call what the experiment names; nothing of an experiment's file.
CalledAs called_as(const Experiment& experiment, const Arguments& arguments) {
  CalledAs called;
  const auto add = [&](const Option& option, const auto& named, const auto& name_of) {
    if (!arguments.has(option)) return;
    const std::vector<std::string> words = comma_list(arguments, option);
    for (std::size_t at = 0; at < std::min(words.size(), named.size()); ++at) {
      called[name_of(named[at])] = words[at];
    }
  };
  add(kCommon.arch, experiment.machines, [](const MachineSpec& machine) { return machine.name; });
  add(kExperiment.network, experiment.networks,
      [](const Network& network) { return network.name; });
  return called;
}

std::string text_of(const StudyResult& study, Format format, const Arguments& arguments,
                    const Experiment& experiment) {
  if (format == Format::json) return study_to_json(study);
  if (format == Format::csv) return results_to_csv(study);
  if (format == Format::markdown) return study_markdown(study);
  const ReportOptions options{arguments.has(kCommon.layers), arguments.has(kRun.notes),
                              output_width(), next_run(arguments),
                              called_as(experiment, arguments)};
  if (!study.parallel.empty() && !options.layers && !options.notes) {
    return parallel_report(study, options.width) +
           next_of_study(study, options.width, options.otherwise, options.called_as);
  }
  return study_report(study, options);
}

/// Schemes that change no product of a measured step.
void warn_of_untouched(const StudyResult& study) {
  for (const StudyTotal& total : study.totals) {
    const bool is_touched = total.gemms.time_us != total.gemms.dense_time_us;
    if (!total.measured || total.scheme == kBaselineScheme || is_touched) continue;
    write_message(kRunWho, fmt::format("warning: {} changes no product of {} on {}", total.scheme,
                                       total.network, total.machine));
  }
}

int run_experiment(const Arguments& arguments) {
  const Format format = format_of(arguments, kRun.format);
  StudyCommandOptions how = study_options_of(arguments);
  for (const Option& option : {kCommon.layers, kRun.notes}) {
    arguments.allow_only_if(format == Format::table, option,
                            "has an effect with --format table only");
  }
  const std::string out = arguments.text_or(kCommon.out, "");
  HtmlPage page(arguments, kRunWho);
  const Experiment experiment = experiment_of(arguments);
  how.with_spread = !experiment.parallel && !arguments.has(kRun.no_spread);
  std::optional<OutputDirectory> directory;
  if (!out.empty()) directory.emplace(out);
  StudyResult study = run_study_with_progress(kRunWho, with_parts(experiment), how);
  warn_of_untouched(study);
  if (experiment.parallel) study.parallel = parallel_totals(experiment, study);
  if (directory) directory->write(study);
  page.write([&] { return study_to_json(study); });
  write_data(text_of(study, format, arguments, experiment));
  return study.failures.empty() ? kExitFine : kExitFailed;
}

}  // namespace

StudyCommandOptions study_options_of(const Arguments& arguments) {
  return {jobs_of(arguments), fast_forward_of(arguments), arguments.text_or(kCommon.cache, "")};
}

StudyResult run_study_with_progress(const std::string& who, const Experiment& experiment,
                                    const StudyCommandOptions& how) {
  ProgressBar bar;
  const auto warn = [&](const std::string& text) {
    bar.wipe();
    write_message(who, "warning: " + text);
  };
  std::optional<ResultStore> store;
  if (!how.cache.empty()) store.emplace(how.cache, warn);
  StudyOptions options;
  options.jobs = how.jobs;
  options.fast_forward = how.fast_forward;
  options.store = store ? &*store : nullptr;
  const auto errors = ValidatedErrors::load(config_directory() / "validation");
  options.errors = errors ? &*errors : nullptr;
  if (!how.is_quiet) write_notes(who, experiment);
  StudyResult result = run_watched(experiment, how, options, bar);
  for (const std::string& failure : result.failures) write_message(who, "failed: " + failure);
  if (store && !how.is_quiet) report_cache(who, *store);
  return result;
}

Command run_command() {
  return {"run",
          "Simulate an experiment: machines, networks and schemes",
          "EXPERIMENT | --network NAME --arch NAME [OPTIONS]",
          kRunNotes,
          {kCommon.experiment.optional()},
          options_of<RunTable>(),
          &run_experiment};
}

}  // namespace stcsim
