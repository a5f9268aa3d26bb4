#pragma once

#include <vector>

#include "common/io/table.hpp"
#include "reports/tta/tta_summary.hpp"

namespace stcsim {

/// How long epochs of pairs take, and how many were implied.
[[nodiscard]] Table comparisons_table(const TtaSummary& summary);

/// Final values of pairs that both have curves.
[[nodiscard]] Table orderings_table(const TtaSummary& summary);

/// Measured trainings against simulated ones.
[[nodiscard]] Table measured_table(const TtaSummary& summary);

}  // namespace stcsim
