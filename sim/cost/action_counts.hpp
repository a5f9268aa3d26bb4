#pragma once

#include <array>
#include <cstdint>

#include "sim/config/machine.hpp"
#include "sim/cost/cost_table.hpp"
#include "sim/run/launch_result.hpp"

namespace stcsim {

/// How often each action happened, by Action.
using ActionCounts = std::array<std::int64_t, kActionCount>;

/// Of a launch, or of several added up. Exact: taken from what the units counted, so the same with
/// fast-forward on and off. What crosses the bus is counted where it leaves the L2 cache or comes
/// to it, and results by what is stored there. Vector instructions are not counted.
[[nodiscard]] ActionCounts action_counts(const MachineConfig& machine, const LaunchResult& launch);

}  // namespace stcsim
