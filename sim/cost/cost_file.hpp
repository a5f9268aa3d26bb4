#pragma once

#include <string>

#include "sim/cost/cost_table.hpp"

namespace stcsim {

/// The table that counts unless another is asked for: energies are what the machine's board draws,
/// areas those of the A100's chip.
inline constexpr const char* kDefaultCosts = "ga100_7nm";

/// The table of costs of that name or path: a file like those of configs/costs/, or an energy or
/// area reference table of Accelergy (`ERT:`, `ART:`) whose components are called as units here,
/// and its actions as theirs. For other names, a file of ours says what they stand for;
/// docs/hardware.md.
/// @throws ConfigError with file:line:column
[[nodiscard]] CostTable load_costs(const std::string& name);

}  // namespace stcsim
