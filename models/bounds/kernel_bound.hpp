#pragma once

#include "models/accelerator/accelerator_config.hpp"
#include "models/base/kernel_launch.hpp"

namespace stcsim {

/// Lower bounds that no simulation can undercut. They decide which kernels need not be simulated,
/// and how much faster than the one that was found any other may be.

/// Cycles an SM takes at least for every CTA it runs, whatever else it runs at the same time: from
/// what it can do only one after the other, to issue instructions on a sub-core and to move bytes
/// through the port of shared memory.
[[nodiscard]] Cycles least_cta_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch);

/// Cycles the launch takes at least: some SM runs CtaScheduler::most_ctas_of_an_sm(). The longest
/// of what each of these takes for its share, between the earliest that it can begin and the least
/// that is to be done after it: the CTAs of one slot, one after the other (critical_path.hpp);
/// sub-cores; the port of shared memory; copy engine; bus; L2 cache; DRAM, through which everything
/// that is read has to come once, and all that is stored has to go. Of stream kernels only
/// sub-cores, the port and DRAM count.
[[nodiscard]] Cycles least_cycles(const AcceleratorConfig& machine, const KernelLaunch& launch);

}  // namespace stcsim
