#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/base/arguments.hpp"
#include "sim/study/study.hpp"

namespace stcsim {

/// How a study is run. Its results do not depend on it.
struct StudyCommandOptions {
  std::int64_t jobs = 1;
  bool fast_forward = true;
  /// Directory of a ResultStore; "" is none.
  std::string cache;
  /// Say only what failed, of one of many studies: no notes on machines and networks, not how much
  /// was found in the cache.
  bool is_quiet = false;
  /// Run the steps with the machine's other software too: run_study_with_spread().
  bool with_spread = false;
};

struct StudyTable {
  Option jobs = kCommon.jobs;
  Option fast_forward = kCommon.fast_forward;
  Option cache = kCommon.cache;
};
[[nodiscard]] StudyCommandOptions study_options_of(const Arguments& arguments);

/// run_study() with a progress bar, that SIGINT and SIGTERM stop. Points that failed are named on
/// standard error, and so is how many were found in the cache if there is one.
/// @param who the command, for messages
/// @throws StudyInterrupted, ConfigError if the cache cannot be used
[[nodiscard]] StudyResult run_study_with_progress(const std::string& who,
                                                  const Experiment& experiment,
                                                  const StudyCommandOptions& how);

}  // namespace stcsim
