#pragma once

#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Rough cycles of a launch, from the slowest of tensor cores, shared memory, L2 and DRAM per wave.
/// Only ranks kernels before they are simulated; no result depends on its value.
[[nodiscard]] double estimate_cycles(const MachineConfig& machine, const KernelLaunch& launch);

/// Rough simulation effort: module activations.
[[nodiscard]] double estimate_events(const KernelLaunch& launch);

}  // namespace stcsim
