#pragma once

#include <string>

#include "sim/run/result.hpp"

namespace stcsim {

/// "1.04x..1.10x"
[[nodiscard]] std::string format_between(const SpeedupInterval& interval);

/// What the columns of intervals and verdicts say, and which machines' errors are assumed; "" if no
/// interval is known.
[[nodiscard]] std::string interval_line(const StudyResult& study);

}  // namespace stcsim
