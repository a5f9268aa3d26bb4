#pragma once

#include <string>
#include <vector>

#include "common/io/table.hpp"
#include "reports/validation/instruction_rows.hpp"

namespace stcsim {

/// Every instruction that was simulated: latency and throughput, measured, simulated and error.
[[nodiscard]] Table instruction_table(const std::vector<InstructionRow>& rows);
/// Per GPU: how many figures there are, their mean and their largest absolute error, and how many
/// are within 3 %.
[[nodiscard]] Table instruction_summary_table(const std::vector<InstructionRow>& rows);

}  // namespace stcsim
