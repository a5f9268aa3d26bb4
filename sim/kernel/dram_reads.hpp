#pragma once

#include <vector>

#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Bytes that a launch roughly reads from DRAM, for each wave: as many CTAs as there are slots, in
/// raster order, all at the same k-step. What several of them read comes once for all; what the L2
/// cache still holds, because no more than its capacity has been brought in or stored since an
/// earlier wave read it, does not come again. Of grids with many waves the first are followed.
[[nodiscard]] std::vector<double> estimate_dram_reads(const MachineConfig& machine,
                                                      const KernelLaunch& launch);

}  // namespace stcsim
