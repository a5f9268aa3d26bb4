#pragma once

#include <string>
#include <vector>

#include "common/io/table.hpp"
#include "reports/validation/network_result.hpp"

namespace stcsim {

/// Every network that was simulated but dense steps (step_tables.hpp): times and speedup, measured,
/// simulated and error. The error of a speedup is that of the simulated range's end furthest
/// outside the measured one, 0 if all of it lies inside.
[[nodiscard]] Table network_table(const std::vector<NetworkRow>& rows);
/// A sentence for each reason why rows were skipped.
[[nodiscard]] std::vector<std::string> skipped_networks(const std::vector<NetworkRow>& rows);

}  // namespace stcsim
