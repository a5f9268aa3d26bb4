#pragma once

#include <string>
#include <vector>

#include "common/io/table.hpp"
#include "reports/validation/network_rows.hpp"

namespace stcsim {

/// Rows that were simulated and say how long a whole dense training step takes.
[[nodiscard]] std::vector<const NetworkRow*> dense_steps(const std::vector<NetworkRow>& rows);

/// Whether the row is one of them and nothing else: the dense scheme.
[[nodiscard]] bool is_dense_step(const NetworkRow& row);

/// Their times, measured and simulated.
[[nodiscard]] Table step_rows_table(const std::vector<NetworkRow>& rows);
/// Errors of the times of dense training steps: of each machine, and of each framework on it. Rows
/// whose phase is "fine-tuning" are summed up apart.
[[nodiscard]] Table step_table(const std::vector<NetworkRow>& rows);

/// Every network that was simulated but dense steps (step_tables.hpp): times and speedup, measured,
/// simulated and error. The error of a speedup is that of the simulated range's end furthest
/// outside the measured one, 0 if all of it lies inside.
[[nodiscard]] Table network_table(const std::vector<NetworkRow>& rows);

}  // namespace stcsim
