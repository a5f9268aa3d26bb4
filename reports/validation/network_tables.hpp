#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/io/table.hpp"
#include "reports/validation/network_result.hpp"

namespace stcsim {

/// The name of a scope as tables of measurements write it.
[[nodiscard]] std::string_view to_string(NetworkScope scope);

/// Every network that was simulated but dense steps (step_tables.hpp): times and speedup, measured,
/// simulated and error. The error of a speedup is that of the simulated range's end furthest
/// outside the measured one, 0 if all of it lies inside.
[[nodiscard]] Table network_table(const std::vector<NetworkRow>& rows);
/// A sentence for each reason why rows were skipped.
[[nodiscard]] std::vector<std::string> skipped_networks(const std::vector<NetworkRow>& rows);

}  // namespace stcsim
