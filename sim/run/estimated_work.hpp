#pragma once

#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

/// What of a GEMM's launch will take energy, as far as its grid tells: instructions and what they
/// move are exact; of bytes of DRAM the least, everything read and written once. Only ranks kernels
/// before they are simulated.
/// @param cycles  estimated
[[nodiscard]] LaunchWork estimated_work(const MachineConfig& machine, const KernelLaunch& launch,
                                        double cycles);

/// What kernels are ranked by where the board's power limit sets the clock: a weighted geometric
/// mean of the estimated cycles and of the cycles of the machine's highest clock that take as long
/// as `work` at the clock that the board sustains with it.
[[nodiscard]] double cycles_at_full_clock(const MachineConfig& machine, DataType dtype,
                                          const LaunchWork& work,
                                          const LaunchConditions& conditions);

/// That of launches on `machine`, which has to outlive it; empty where nothing lowers the clock, or
/// somebody locked it.
[[nodiscard]] EstimatedTime estimated_time(const MachineConfig& machine, DataType dtype,
                                           const LaunchConditions& conditions);

}  // namespace stcsim
