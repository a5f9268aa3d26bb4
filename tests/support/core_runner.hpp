#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "models/base/statistics.hpp"
#include "models/base/time.hpp"

namespace stcsim::test {

/// Counters do not depend on the end of the launch, as long as it is not before anything counted.
inline constexpr Cycle kLongAfter{1'000'000'000};

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

/// What a core tells of itself at `end`: as the first of the kinds, if it says none.
template <class Core>
std::vector<UnitTotals> statistics_of(const Core& core, Cycle end) {
  StatisticsSum sum;
  sum.unit("itself");
  core.visit_statistics(sum, end);
  return sum.totals();
}

/// Cycles of a core's bucket, given as "bucket" or, of a kind of unit that it speaks for,
/// "kind.bucket"; -1 if there is none.
template <class Core>
std::int64_t bucket(const Core& core, Cycle end, std::string_view name) {
  const std::size_t dot = name.find('.');
  const std::string_view kind = dot == name.npos ? "itself" : name.substr(0, dot);
  for (const UnitTotals& totals : statistics_of(core, end)) {
    if (totals.unit != kind) continue;
    for (const auto& [known, cycles] : totals.buckets) {
      if (known == (dot == name.npos ? name : name.substr(dot + 1))) return cycles.count();
    }
  }
  return -1;
}

/// Of all buckets of the core, or of a kind of unit that it speaks for.
template <class Core>
std::int64_t sum_of_buckets(const Core& core, Cycle end, std::string_view kind = "itself") {
  std::int64_t sum = 0;
  for (const UnitTotals& totals : statistics_of(core, end)) {
    if (totals.unit != kind) continue;
    for (const auto& [name, cycles] : totals.buckets) sum += cycles.count();
  }
  return sum;
}

/// Value of a core's counter.
template <class Core>
std::int64_t count(const Core& core, std::string_view name) {
  for (const UnitTotals& totals : statistics_of(core, kLongAfter)) {
    for (const Counter& counter : totals.counters) {
      if (counter.name == name) return counter.value;
    }
  }
  throw std::out_of_range("no such counter");
}

}  // namespace stcsim::test
