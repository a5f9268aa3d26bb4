#pragma once

#include <string>
#include <string_view>

#include "sim/run/result.hpp"

namespace stcsim {

/// Name of the scheme every speedup is measured against.
inline constexpr std::string_view kBaselineScheme = "dense";

/// One table per machine and network: speedup of each scheme in each phase, over the three GEMMs
/// together, the other kernels and the whole step; below it the dense baseline's cycles and times.
/// Phases that were not simulated show as "-".
[[nodiscard]] std::string speedup_tables(const StudyResult& study);

/// One table per machine and network with a line per result row (numbers of one repeat).
[[nodiscard]] std::string layer_tables(const StudyResult& study);

/// Speedup tables, layer tables if asked for, and the notes (study_notes.hpp).
[[nodiscard]] std::string study_report(const StudyResult& study, bool with_layers);

}  // namespace stcsim
