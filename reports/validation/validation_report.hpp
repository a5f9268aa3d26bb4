#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/format.hpp"
#include "reports/validation/validation_result.hpp"

namespace stcsim {

/// What people read: the errors per GPU and overall, the worst rows, every row with measured,
/// simulated and error, and why rows were skipped. Tables fit into `width` columns.
[[nodiscard]] std::string validation_report(const std::vector<ValidationRow>& rows,
                                            std::size_t width = kAnyWidth);

}  // namespace stcsim
