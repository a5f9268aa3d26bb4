#pragma once

#include <string>

#include "sim/run/result.hpp"

namespace stcsim {

/// "clock: 1410 MHz; the dense step draws 247 W"; "" where there is nothing to say: it is the
/// machine's own, and nothing is known of its power.
[[nodiscard]] std::string clock_text(const StudyTotal& total);

}  // namespace stcsim
