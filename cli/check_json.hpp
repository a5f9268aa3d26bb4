#pragma once

#include <string>
#include <vector>

#include "reports/golden.hpp"

namespace stcsim {

/// What `stcsim check --format json` prints: head, file, rtol, number of recorded figures, and one
/// object per difference; `golden` and `now` are null where there is no figure, `relative` where it
/// is infinite.
[[nodiscard]] std::string check_to_json(const std::string& file, const Golden& golden, double rtol,
                                        const std::vector<GoldenDifference>& differences);

}  // namespace stcsim
