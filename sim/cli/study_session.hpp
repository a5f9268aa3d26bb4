#pragma once

#include <cstdint>
#include <string>

#include "sim/study.hpp"

namespace stcsim {

/// run_study() with a progress bar, that SIGINT and SIGTERM stop. Points that failed are named on
/// standard error.
/// @param who the command, for messages
/// @throws StudyInterrupted
[[nodiscard]] StudyResult run_study_session(const std::string& who, const Experiment& experiment,
                                            std::int64_t jobs);

}  // namespace stcsim
