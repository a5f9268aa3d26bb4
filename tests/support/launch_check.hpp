#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "sim/run/launch_result.hpp"

namespace stcsim::test {

/// Every unit's buckets are not negative and sum to instances * cycles.
inline void expect_buckets_sum(const LaunchResult& result) {
  EXPECT_FALSE(result.units.empty());
  for (const UnitReport& unit : result.units) {
    std::int64_t sum = 0;
    for (const auto& [name, cycles] : unit.buckets) {
      EXPECT_GE(cycles, 0) << unit.unit << " " << name;
      sum += cycles;
    }
    EXPECT_EQ(sum, unit.instances * result.cycles) << unit.unit;
  }
}

inline std::int64_t bucket_of(const LaunchResult& result, const std::string& unit,
                              const std::string& bucket) {
  for (const UnitReport& report : result.units) {
    if (report.unit != unit) continue;
    for (const auto& [name, cycles] : report.buckets) {
      if (name == bucket) return cycles;
    }
  }
  ADD_FAILURE() << "no bucket " << bucket << " of " << unit;
  return -1;
}

}  // namespace stcsim::test
