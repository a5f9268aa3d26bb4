#pragma once

#include <string>

#include "sim/run/result.hpp"

namespace stcsim {

/// A study in Markdown, from headings of the second level on: per machine and network a table of
/// every scheme's speedup in each phase, over the GEMMs and over the whole step, with and without
/// what the scheme spends itself; below it where the dense step spends its time; at the end the
/// notes (study_notes.hpp).
[[nodiscard]] std::string study_markdown(const StudyResult& study);

}  // namespace stcsim
