#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/base/time.hpp"

namespace stcsim {

/// Cycles of one bucket of a unit.
struct BucketCycles {
  std::string_view name;
  Cycles cycles;
};

/// The buckets of one unit instance; they sum to the cycles of the launch.
using UnitBuckets = std::vector<BucketCycles>;

}  // namespace stcsim
