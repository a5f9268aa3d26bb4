#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/base/statistics.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim::test {

/// A machine and launches on it, drawn from a seed.
struct FastForwardCase {
  std::unique_ptr<MachineRunner> runner;
  std::vector<KernelLaunch> launches;
  bool is_shipped = false;
  /// Seed and problem in words.
  std::string text;
};

/// Even seeds: a tiny machine of random units, starved or generous, and all of its kernels; every
/// other one leaves rare keys at their defaults. Odd seeds: a shipped machine with few SMs and
/// caches to match, and two of its kernels or its libraries'. Most machines run at some lower
/// clock. Each case ends with a stream kernel whose CTAs loop.
[[nodiscard]] FastForwardCase draw_fast_forward_case(std::uint64_t seed);

/// What differs between two launches but for the events they took, in words; "" if nothing does.
[[nodiscard]] std::string difference(const LaunchStatistics& off, const LaunchStatistics& on);

}  // namespace stcsim::test
