#pragma once

#include <string>
#include <vector>

#include "reports/validation/validation_result.hpp"

namespace stcsim {

/// What people read: every row with measured, simulated and error, then the errors per GPU and
/// overall, the worst rows, and why rows were skipped.
[[nodiscard]] std::string validation_report(const std::vector<ValidationRow>& rows);

}  // namespace stcsim
