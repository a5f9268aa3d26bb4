#pragma once

#include <string>

#include "sim/run/result.hpp"

namespace stcsim {

/// What a study found, one line per machine, network and pass:
///   "resnet50 on a100: dense step 80.0 ms; fastest sdgp, 75.1 ms (1.07x)".
/// Schemes whose sums lack a point are not compared but counted.
[[nodiscard]] std::string study_answer(const StudyResult& study);

}  // namespace stcsim
