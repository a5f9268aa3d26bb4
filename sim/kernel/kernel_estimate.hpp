#pragma once

#include <cstdint>

#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// How a grid's last wave is counted if it is not the only one: as far as it is full, or as if it
/// were full, which libraries' heuristics do.
enum class Waves : std::uint8_t { as_they_are, whole };

/// Rough cycles of a launch, from the slowest of tensor cores, shared memory, L2 and DRAM in each
/// wave. Only ranks kernels before they are simulated; no result depends on its value.
[[nodiscard]] double estimate_cycles(const MachineConfig& machine, const KernelLaunch& launch,
                                     Waves waves = Waves::as_they_are);

/// What estimate_cycles() is at least: as if nothing had to be read from DRAM. Much quicker.
[[nodiscard]] double least_estimate_cycles(const MachineConfig& machine, const KernelLaunch& launch,
                                           Waves waves = Waves::as_they_are);

}  // namespace stcsim
