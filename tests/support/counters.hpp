#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/statistics.hpp"

namespace stcsim::test {

/// The counters that every machine has, with these values, in the order of outputs.
inline std::vector<Counter> traffic(
    const std::array<std::int64_t, kTrafficCounters.size()>& values) {
  std::vector<Counter> counters;
  for (std::size_t at = 0; at < values.size(); ++at) {
    counters.push_back({std::string(kTrafficCounters.at(at)), "byte", values.at(at)});
  }
  return counters;
}

}  // namespace stcsim::test
