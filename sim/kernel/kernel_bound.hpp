#pragma once

#include "models/accelerator/accelerator_config.hpp"
#include "models/base/kernel_launch.hpp"

namespace stcsim {

/// Lower bounds that no simulation can undercut, from what an SM can do only one after the other:
/// issue instructions on a sub-core, move bytes through the port of shared memory. A kernel that
/// cannot be the fastest by them need not be simulated.

/// Cycles an SM takes at least for every CTA it runs, whatever else it runs at the same time.
[[nodiscard]] Cycles least_cta_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch);

/// Cycles the launch takes at least: some SM runs its share of the CTAs or more.
[[nodiscard]] Cycles least_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch);

}  // namespace stcsim
