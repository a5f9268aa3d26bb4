#pragma once

#include <string>
#include <vector>

#include "common/io/table.hpp"
#include "reports/tta/tta_summary.hpp"

namespace stcsim {

/// The results of each machine, in order.
[[nodiscard]] std::vector<std::vector<const TtaResult*>> results_by_machine(
    const TtaSummary& summary);

/// The schemes of one machine; columns that say nothing are left out.
/// @param with_evidence as a last column
[[nodiscard]] Table schemes_table(const TtaSummary& summary,
                                  const std::vector<const TtaResult*>& results, bool with_evidence);

/// What was reached: within the budget, and in the end, against what each is compared with; and
/// whether that is on the Pareto front. Of schemes with curves.
[[nodiscard]] Table values_table(const TtaSummary& summary,
                                 const std::vector<const TtaResult*>& results);
[[nodiscard]] bool has_values(const std::vector<const TtaResult*>& results);

/// What trainings of one machine are made of that are not all of one part.
[[nodiscard]] Table parts_table(const std::vector<const TtaResult*>& results);
[[nodiscard]] bool has_parts(const std::vector<const TtaResult*>& results);

/// How long epochs of pairs take, and how many were implied.
[[nodiscard]] Table comparisons_table(const TtaSummary& summary);

/// Final values of pairs that both have curves.
[[nodiscard]] Table orderings_table(const TtaSummary& summary);

/// Measured trainings against simulated ones.
[[nodiscard]] Table measured_table(const TtaSummary& summary);

}  // namespace stcsim
