#include "sim/cli/study_session.hpp"

#include "sim/cli/interrupt.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/progress.hpp"

namespace stcsim {
namespace {

StudyResult run_watched(const Experiment& experiment, std::int64_t jobs) {
  const InterruptWatch watch;
  ProgressBar bar;
  StudyOptions options;
  options.jobs = jobs;
  options.on_progress = [&bar](const StudyProgress& progress) { bar.update(progress); };
  options.interrupted = &InterruptWatch::interrupted;
  StudyResult result = run_study(experiment, options);
  if (InterruptWatch::interrupted()) throw StudyInterrupted();
  return result;
}

}  // namespace

StudyResult run_study_session(const std::string& who, const Experiment& experiment,
                              std::int64_t jobs) {
  StudyResult result = run_watched(experiment, jobs);
  for (const std::string& failure : result.failures) write_message(who, "failed: " + failure);
  return result;
}

}  // namespace stcsim
