#pragma once

#include <cstdint>
#include <vector>

#include "models/base/kernel_launch.hpp"
#include "models/base/statistics.hpp"
#include "models/dram/dram_config.hpp"

namespace stcsim {

/// CTAs of a grid that were not simulated, and what they are taken to have done.
struct LeftOut {
  std::int64_t first = 0;  // CTA, in raster order
  std::int64_t ctas = 0;
  double cycles = 0;
  double error = 0;  // cycles more or less
  double l2_hit_bytes = 0;
  double dram_read_bytes = 0;
};

/// The statistics of a whole launch, given those of the CTAs that were not left out. Buckets have
/// the same shares of the cycles. Counters are scaled by k-steps, bytes between SMs and L2 by what
/// CTAs load and store; so they are exact as far as they depend on nothing else. DRAM writes what
/// the launch stores, in whole bursts. What hits in L2 and comes from DRAM is added up.
/// @param least  cycles that the launch takes at least
[[nodiscard]] LaunchStatistics with_left_out(const DramConfig& dram, const KernelLaunch& launch,
                                             const std::vector<LeftOut>& left_out, Cycles least,
                                             LaunchStatistics simulated);

}  // namespace stcsim
