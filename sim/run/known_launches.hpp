#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "models/accelerator/launch_statistics.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/run/wave_sampling.hpp"

namespace stcsim {

/// What a launch's statistics depend on beside the launch and the machine as built.
struct RunConditions {
  /// As MachineRunner::set_clock() has them.
  double clock_mhz = 0;
  std::optional<double> launch_us = {};
  bool fast_forward = true;
  std::optional<SamplingEffort> sampling = {};

  friend auto operator<=>(const RunConditions&, const RunConditions&) = default;
};

/// What the latest launches of a machine came to. GEMMs that differ in their operands' layout, or
/// in what was asked of them, often make the same launch.
class KnownLaunches {
 public:
  /// @param most  launches kept, at least 1: some 10 kB each
  explicit KnownLaunches(std::size_t most) : most_(most) {}

  /// Null if it is not known.
  [[nodiscard]] const LaunchStatistics* find(const RunConditions& conditions,
                                             const KernelLaunch& launch) const;
  /// Of a launch that is not known yet. Forgets the one that was kept first, if there are too many.
  void keep(const RunConditions& conditions, const KernelLaunch& launch,
            const LaunchStatistics& statistics);

 private:
  using Known = std::map<std::pair<RunConditions, KernelLaunch>, LaunchStatistics>;

  std::size_t most_;
  Known known_;
  std::deque<Known::const_iterator> order_;
};

}  // namespace stcsim
