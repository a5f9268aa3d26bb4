#pragma once

#include <cmath>

#include "sim/run/machine_runner.hpp"
#include "sim/run/result.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

/// The board's steady state: a launch and the clock at which the board affords it. Its cycles
/// depend on the clock, for DRAM has its own, but little.
class SteadyState {
 public:
  SteadyState(MachineRunner& runner, DataType dtype, const LaunchConditions& conditions)
      : runner_(runner), dtype_(dtype), conditions_(conditions) {}

  [[nodiscard]] double clock_for(const LaunchResult& launch) const {
    return sustained_clock_mhz(runner_.machine_as_built(), dtype_, launch, conditions_);
  }
  /// `launch` ran at a clock near the steady one: as it is at that.
  void settle(LaunchResult& launch) const {
    launch.clock_mhz = clock_for(launch);
    find_watts(launch);
  }
  void find_watts(LaunchResult& launch) const {
    launch.board_watts = board_watts(runner_.machine_as_built(), dtype_, launch, launch.clock_mhz,
                                     conditions_.values);
  }
  [[nodiscard]] bool is_near(double clock_mhz) const {
    const double step = runner_.machine_as_built().power.clock_step_mhz;
    return std::abs(clock_mhz - runner_.machine().clock_mhz) <= step;
  }

 private:
  MachineRunner& runner_;
  DataType dtype_;
  LaunchConditions conditions_;
};

}  // namespace stcsim
