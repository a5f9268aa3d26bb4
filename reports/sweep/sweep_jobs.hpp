#pragma once

#include <cstdint>
#include <string>

namespace stcsim {

/// How a sweep is cut into jobs of a cluster or of GNU parallel.
struct SweepJobs {
  /// Absolute paths, or as the user gave them: the program, the space, the shards' folder, and the
  /// file that has everything in the end.
  std::string program;
  std::string space;
  std::string directory;
  std::string results;
  /// What the sweep is called, and more options of `sweep run` and `merge`, each quoted.
  std::string name;
  std::string options;
  /// $STCSIM_CONFIG_DIR where it is set, else "".
  std::string config_directory;
  std::int64_t shards = 1;
  /// Worker processes of each.
  std::int64_t jobs = 1;
  /// Of Slurm: the time limit of a task ("1:00:00"); "" is the cluster's own.
  std::string time_limit;
};

/// A word as a shell takes it. @throws ConfigError if it is not one line of text
[[nodiscard]] std::string script_word(const std::string& text);

/// A script that submits the sweep to Slurm: an array of `shards` tasks and, after them, a job that
/// merges their files. With arguments it submits only these tasks again ("3,7"), and the merge.
[[nodiscard]] std::string slurm_script(const SweepJobs& jobs);

/// Command lines for bash that run the shards with GNU parallel, `jobs` at a time, and merge.
/// Run again, it repeats what has failed.
[[nodiscard]] std::string parallel_command(const SweepJobs& jobs);

}  // namespace stcsim
