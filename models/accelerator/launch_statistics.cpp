#include "models/accelerator/launch_statistics.hpp"

#include <algorithm>

namespace stcsim {
namespace {

constexpr std::array<std::string_view, 14> kFirstKinds{"tensor_core",      "register_file",
                                                       "metadata_buffer",  "operand_selector",
                                                       "multipliers",      "vector_unit",
                                                       "shared_memory",    "copy_engine",
                                                       "epilogue",         "memory_bus_read",
                                                       "memory_bus_write", "l2_cache_read",
                                                       "l2_cache_write",   "dram"};

/// Puts first the elements that `names` has, in its order; the others stay as they are.
template <class T, class Names, class NameOf>
void sort_by(std::vector<T>& all, const Names& names, NameOf name_of) {
  const auto place_of = [&](const T& one) {
    return std::find(names.begin(), names.end(), name_of(one));
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const T& a, const T& b) { return place_of(a) < place_of(b); });
}

}  // namespace

std::vector<Counter> LaunchStatistics::counters() const {
  std::vector<Counter> all;
  for (const UnitTotals& totals : units) {
    all.insert(all.end(), totals.counters.begin(), totals.counters.end());
  }
  sort_by(all, kTrafficCounters, [](const Counter& counter) { return counter.name; });
  return all;
}

std::int64_t LaunchStatistics::count(std::string_view counter) const {
  return count_of(counters(), counter);
}

std::vector<UnitTotals> in_order_of_outputs(std::vector<UnitTotals> units) {
  sort_by(units, kFirstKinds, [](const UnitTotals& totals) { return totals.unit; });
  return units;
}

}  // namespace stcsim
