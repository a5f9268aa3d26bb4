#pragma once

#include <string>

#include "sim/run/result.hpp"

namespace stcsim {

/// In half a line: what is left of the gain that counting multiplications promises each product of
/// a scheme, and where the rest went; why it ran dense if it did.
/// @param is_whole of a step or pass with everything beside the GEMMs, else of the GEMMs alone
[[nodiscard]] std::string gain_reasons(const StudyResult& study, const StudyTotal& total,
                                       bool is_whole);

}  // namespace stcsim
