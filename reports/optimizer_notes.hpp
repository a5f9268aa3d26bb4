#pragma once

#include <string>

#include "sim/run/result.hpp"

namespace stcsim {

/// A line for each scheme, machine and network where most of what a step gains is not the GEMMs'
/// but the optimizer's; "" if there is none.
[[nodiscard]] std::string optimizer_notes(const StudyResult& study);

}  // namespace stcsim
