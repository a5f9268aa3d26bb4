#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/base/time.hpp"
#include "models/base/unit_statistics.hpp"

namespace stcsim::test {

/// Runs a core up to and including `until`, at the cycles it asks for: what its module does.
/// Returns the cycles at which it was active.
template <class Core>
std::vector<std::int64_t> run_core(Core& core, Cycle from, Cycle until) {
  std::vector<std::int64_t> active;
  std::optional<Cycle> next = from;
  while (next && *next <= until) {
    active.push_back(next->index());
    next = core.advance(*next);
  }
  return active;
}

/// Cycles of the bucket of that name; -1 if there is none.
inline std::int64_t bucket(const UnitBuckets& buckets, std::string_view name) {
  for (const BucketCycles& one : buckets) {
    if (one.name == name) return one.cycles.count();
  }
  return -1;
}

inline std::int64_t sum_of(const UnitBuckets& buckets) {
  std::int64_t sum = 0;
  for (const BucketCycles& one : buckets) sum += one.cycles.count();
  return sum;
}

}  // namespace stcsim::test
