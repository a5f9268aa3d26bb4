#include "reports/sweep/sweep_jobs.hpp"

#include <string_view>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/next_command.hpp"
#include "common/io/text_file.hpp"

namespace stcsim {
namespace {

/// Failed points are kept in the file: they do not keep the others from being merged.
constexpr const char* kOrFailedPoints = "|| [ $? -eq 3 ]";

/// A path in which Slurm replaces nothing.
std::string slurm_path(const std::string& path) {
  std::string pattern;
  for (const char letter : path) pattern += letter == '%' ? "%%" : std::string(1, letter);
  return pattern;
}

std::string environment_of(const SweepJobs& jobs) {
  if (jobs.config_directory.empty()) return "";
  return fmt::format("export STCSIM_CONFIG_DIR={}\n", script_word(jobs.config_directory));
}

/// `sweep run` of a shard. @param shard  its number, and @param workers  theirs, as the shell has
/// them
std::string run_command_of(const SweepJobs& jobs, std::string_view shard,
                           std::string_view workers) {
  return fmt::format("{} sweep run {}{} --shard {}/{} --jobs {} --results {}/shard-{}.sqlite",
                     script_word(jobs.program), script_word(jobs.space), jobs.options, shard,
                     jobs.shards, workers, script_word(jobs.directory), shard);
}

std::string merge_command_of(const SweepJobs& jobs) {
  return fmt::format("{} sweep merge {} {}/shard-*.sqlite{} --results {}",
                     script_word(jobs.program), script_word(jobs.space),
                     script_word(jobs.directory), jobs.options, script_word(jobs.results));
}

}  // namespace

std::string script_word(const std::string& text) {
  // A line break would end a comment or a document in the script.
  if (const char32_t control = find_control(text); control != 0) {
    throw ConfigError(
        fmt::format("'{}' has the character U+{:04X}, must be one line of text to go "
                    "into a script",
                    text, static_cast<unsigned>(control)));
  }
  return shell_word(text);
}

std::string slurm_script(const SweepJobs& jobs) {
  const std::string limit =
      jobs.time_limit.empty() ? "" : fmt::format(" --time={}", script_word(jobs.time_limit));
  return fmt::format(
      R"(#!/usr/bin/env bash
# Submits sweep {job} to Slurm: {shards} tasks, then a job that merges their files into
# {results}
#   bash THIS_SCRIPT         all tasks
#   bash THIS_SCRIPT 3,7     these again, if they failed: what is there is not simulated again
set -euo pipefail
mkdir -p {directory}
array=$(sbatch --parsable --job-name={job}{limit} --cpus-per-task={jobs} --array="${{1:-1-{shards}}}" \
  --output={logs}/shard-%a.log <<'TASK'
#!/usr/bin/env bash
{environment}{run} {or_failed}
TASK
)
array=${{array%%;*}}
sbatch --parsable --job-name={job}-merge --dependency=afterok:"$array" --kill-on-invalid-dep=yes \
  --output={logs}/merge.log <<'MERGE'
#!/usr/bin/env bash
{environment}{merge}
MERGE
)",
      fmt::arg("job", script_word(jobs.name)), fmt::arg("shards", jobs.shards),
      fmt::arg("results", script_word(jobs.results)),
      fmt::arg("directory", script_word(jobs.directory)),
      fmt::arg("logs", script_word(slurm_path(jobs.directory))), fmt::arg("limit", limit),
      fmt::arg("jobs", jobs.jobs), fmt::arg("environment", environment_of(jobs)),
      fmt::arg("run", run_command_of(jobs, "\"$SLURM_ARRAY_TASK_ID\"", std::to_string(jobs.jobs))),
      fmt::arg("or_failed", kOrFailedPoints), fmt::arg("merge", merge_command_of(jobs)));
}

std::string parallel_command(const SweepJobs& jobs) {
  return fmt::format(
      "{environment}run_shard() {{ {run} {or_failed}; }}\n"
      "export -f run_shard\n"
      "export PARALLEL_SHELL=\"$BASH\"\n"
      "mkdir -p {directory} && \\\n"
      "parallel --jobs {jobs} --joblog {directory}/parallel.log --resume-failed run_shard \\\n"
      "  ::: $(seq 1 {shards}) && \\\n{merge}\n",
      fmt::arg("environment", environment_of(jobs)),
      fmt::arg("run", run_command_of(jobs, "\"$1\"", "1")), fmt::arg("or_failed", kOrFailedPoints),
      fmt::arg("directory", script_word(jobs.directory)), fmt::arg("jobs", jobs.jobs),
      fmt::arg("shards", jobs.shards), fmt::arg("merge", merge_command_of(jobs)));
}

}  // namespace stcsim
