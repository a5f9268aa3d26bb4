#pragma once

#include <cstdint>
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

/// The count of a grid's last wave if it is not the only one: as far as it is full, or as if it
/// were full, which libraries' heuristics do.
enum class Waves : std::uint8_t { as_they_are, whole };

/// Rough cycles of a launch, from the slowest of tensor cores, shared memory, L2 and DRAM in each
/// wave. Only ranks kernels before they are simulated; no result depends on its value.
[[nodiscard]] double estimate_cycles(const MachineConfig& machine, const KernelLaunch& launch,
                                     Waves waves = Waves::as_they_are);

/// A lower bound of estimate_cycles(): as if nothing had to be read from DRAM. Much quicker.
[[nodiscard]] double least_estimate_cycles(const MachineConfig& machine, const KernelLaunch& launch,
                                           Waves waves = Waves::as_they_are);

}  // namespace stcsim
