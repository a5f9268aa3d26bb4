#pragma once

#include <string>

#include "sim/run/result.hpp"

namespace stcsim {

/// What a reader of the tables has to know, one line each: which phases of which scheme ran dense,
/// on how many layers (repeats counted) and why; what limited those that ran sparse; what failed.
/// Equal notes of a scheme are one line:
///   "mvue: forward, dgrad ran dense on a100, resnet50 (53 layers): 4:8 does not fit 2:4 hardware".
/// "" if there is nothing to say.
[[nodiscard]] std::string study_notes(const StudyResult& study);

/// The same, but notes that give the same reason are one line with their number,
///   "3 notes: ran dense: 4:8 does not fit 2:4 hardware (mvue, fst)",
/// and a last line says that there are more of them (`--notes`).
[[nodiscard]] std::string folded_study_notes(const StudyResult& study);

}  // namespace stcsim
