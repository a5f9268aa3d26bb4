#pragma once

#include <string>
#include <vector>

#include "sim/run/result.hpp"

namespace stcsim {

/// "1.04x..1.10x"
[[nodiscard]] std::string format_between(const SpeedupInterval& interval);

/// "with searched kernels": how software chooses, beside another that chooses otherwise.
[[nodiscard]] std::string stack_text(const std::string& stack);

/// "with searched kernels 1.02x, best of all kernels 1.04x": what else it gains with other
/// software; "" of none.
[[nodiscard]] std::string beside_text(const std::vector<StackGain>& beside);

/// What the columns of intervals and verdicts say, and which machines' errors are assumed; "" if no
/// interval is known.
[[nodiscard]] std::string interval_line(const StudyResult& study);

}  // namespace stcsim
