#include "cli/run/study_command.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cli/base/common_options.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/output.hpp"
#include "cli/base/progress.hpp"
#include "common/io/catalog.hpp"
#include "common/io/format.hpp"
#include "sim/job/result_store.hpp"
#include "sim/kernel/fallback.hpp"
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
    const std::string small = fallback_note(machine.config, stack, experiment.dtype);
    if (!small.empty() && experiment.kernel == "auto") write_message(who, "note: " + small);
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

std::vector<MachineStack> stacks_of(const StudyResult& study) {
  std::vector<MachineStack> stacks;
  for (const StudyTotal& total : study.totals) {
    const bool is_known = !stacks.empty() && stacks.back().machine == total.machine;
    if (!is_known && !total.stack.empty()) stacks.push_back({total.machine, total.stack});
  }
  return stacks;
}

std::string software_lines(const StudyResult& study) {
  std::string text;
  for (const auto& [machine, stack] : stacks_of(study)) {
    text += fmt::format("software of {}: {}\n", machine, stack);
  }
  return wrap_lines(text, output_width());
}

std::string recorded_text(const std::string& file, const Golden& golden, const StudyResult& study) {
  return fmt::format("{}: {} figures recorded\n{}", file, golden.study.rows.size(),
                     software_lines(study));
}

}  // namespace stcsim
