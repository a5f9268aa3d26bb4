#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/base/time.hpp"

namespace stcsim {

/// Buckets of all instances of one kind of unit, summed. They sum to instances * cycles.
struct UnitTotals {
  std::string unit;
  std::int64_t instances = 0;
  std::vector<std::pair<std::string, Cycles>> buckets;

  friend bool operator==(const UnitTotals&, const UnitTotals&) = default;
};

/// What one launch did.
struct LaunchStatistics {
  Cycles cycles;
  std::vector<UnitTotals> units;
  std::int64_t instructions = 0;  // of all sub-cores
  std::int64_t shared_memory_read_bytes = 0;
  std::int64_t shared_memory_write_bytes = 0;
  std::int64_t l2_read_bytes = 0;
  std::int64_t l2_hit_bytes = 0;
  std::int64_t l2_write_bytes = 0;
  std::int64_t dram_read_bytes = 0;
  std::int64_t dram_write_bytes = 0;
  std::int64_t metadata_bytes = 0;
  /// Module activations it took to simulate.
  std::int64_t events = 0;

  friend bool operator==(const LaunchStatistics&, const LaunchStatistics&) = default;
};

}  // namespace stcsim
