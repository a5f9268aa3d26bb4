#pragma once

#include <string>
#include <vector>

#include "sim/run/result.hpp"

namespace stcsim {

/// "clock: 1410 MHz; the dense step draws 247 W"; "" where there is nothing to say: it is the
/// machine's own, and nothing is known of its power.
[[nodiscard]] std::string clock_text(const StudyTotal& total);
/// "energy: the dense step takes 123 J; of that asp 0.7, ..."; "" if no machine says what it draws
/// or there is no dense step.
[[nodiscard]] std::string energy_text(const std::vector<const StudyTotal*>& totals);

}  // namespace stcsim
