#include "models/base/statistics.hpp"

#include <algorithm>

#include "common/error.hpp"

namespace stcsim {
namespace {

/// Where the element that `is_it` stands: at `guess` if it does, otherwise looked for; the end if
/// there is none.
template <class T, class IsIt>
std::size_t place_of(const std::vector<T>& all, std::size_t guess, IsIt is_it) {
  if (guess < all.size() && is_it(all[guess])) return guess;
  return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_it) - all.begin());
}

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

std::int64_t count_of(const std::vector<Counter>& counters, std::string_view name) {
  for (const Counter& counter : counters) {
    if (counter.name == name) return counter.value;
  }
  throw SimulationError("nothing counts '" + std::string(name) + "'");
}

void StatisticsSum::find_unit(std::string_view kind) {
  const auto same_text = [&](const Texts& known) { return known.unit == kind.data(); };
  at_work_ = place_of(texts_, 0, same_text);
  if (at_work_ < texts_.size()) return;
  at_work_ = place_of(totals_, 0, [&](const UnitTotals& known) { return known.unit == kind; });
  if (at_work_ == totals_.size()) {
    totals_.push_back({std::string(kind), 0, {}, {}});
    texts_.push_back({kind.data(), {}, {}});
  }
}

void StatisticsSum::find_bucket(std::string_view name) {
  auto& buckets = totals_[at_work_].buckets;
  next_bucket_ =
      place_of(buckets, next_bucket_, [&](const auto& known) { return known.first == name; });
  if (next_bucket_ == buckets.size()) {
    buckets.emplace_back(name, Cycles());
    texts_[at_work_].buckets.push_back(name.data());
  }
}

void StatisticsSum::find_counter(std::string_view name, std::string_view unit) {
  std::vector<Counter>& counters = totals_[at_work_].counters;
  next_counter_ =
      place_of(counters, next_counter_, [&](const Counter& known) { return known.name == name; });
  if (next_counter_ == counters.size()) {
    counters.push_back({std::string(name), std::string(unit), 0});
    texts_[at_work_].counters.push_back(name.data());
  }
}

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
