#pragma once

#include "sim/run/launch_result.hpp"
#include "tests/support/counters.hpp"

namespace stcsim::test {

/// A launch that does everything.
inline LaunchResult costly_launch() {
  LaunchResult launch;
  launch.cycles = 1'000'000;
  launch.clock_mhz = 1000;
  launch.multiplier_macs = 4'000'000'000;
  launch.peak_macs = 5'000'000'000;
  launch.counters = traffic(
      {30'000'000, 20'000'000, 10'000'000, 9'000'000, 1'000'000, 2'000'000, 500'000, 700'000});
  launch.actions = {70'000'000, 60'000'000, 5'000'000, 15'000'000, 800'000'000'000, 0};
  return launch;
}

}  // namespace stcsim::test
