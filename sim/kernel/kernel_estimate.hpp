#pragma once

#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Rough cycles of a launch, from the slowest of tensor cores, shared memory, L2 and DRAM in each
/// wave. Only ranks kernels before they are simulated; no result depends on its value.
[[nodiscard]] double estimate_cycles(const MachineConfig& machine, const KernelLaunch& launch);

}  // namespace stcsim
