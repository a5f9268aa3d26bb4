#pragma once

#include <string>

#include "sim/run/sustained_clock.hpp"

namespace stcsim {

/// A way of timing on a real machine: what it adds to every time, and how it launches.
struct TimingMethod {
  std::string name;
  double overhead_us = 0;
  LaunchConditions launches = {};
};

}  // namespace stcsim
