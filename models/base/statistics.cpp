#include "models/base/statistics.hpp"

#include <algorithm>

#include "common/error.hpp"

namespace stcsim {
namespace {

bool is_text(const std::vector<const char*>& texts, std::size_t at, std::string_view name) {
  return at < texts.size() && texts[at] == name.data();
}

/// Where the element that `is_it` stands: at `guess` if it does, otherwise looked for; the end if
/// there is none.
template <class T, class IsIt>
std::size_t place_of(const std::vector<T>& all, std::size_t guess, IsIt is_it) {
  if (guess < all.size() && is_it(all[guess])) return guess;
  return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_it) - all.begin());
}

}  // namespace

std::int64_t count_of(const std::vector<Counter>& counters, std::string_view name) {
  for (const Counter& counter : counters) {
    if (counter.name == name) return counter.value;
  }
  throw SimulationError("nothing counts '" + std::string(name) + "'");
}

void StatisticsSum::unit(std::string_view kind) {
  at_work_ =
      place_of(totals_, at_work_, [&](const UnitTotals& known) { return known.unit == kind; });
  if (at_work_ == totals_.size()) {
    totals_.push_back({std::string(kind), 0, {}, {}});
    texts_.emplace_back();
  }
  ++totals_[at_work_].instances;
  next_bucket_ = next_counter_ = 0;
}

void StatisticsSum::bucket(std::string_view name, Cycles cycles) {
  auto& buckets = totals_[at_work_].buckets;
  std::vector<const char*>& texts = texts_[at_work_].buckets;
  const std::size_t at =
      is_text(texts, next_bucket_, name)
          ? next_bucket_
          : place_of(buckets, next_bucket_, [&](const auto& known) { return known.first == name; });
  if (at == buckets.size()) {
    buckets.emplace_back(name, Cycles());
    texts.push_back(name.data());
  }
  buckets[at].second += cycles;
  next_bucket_ = at + 1;
}

void StatisticsSum::count(std::string_view name, std::string_view unit, std::int64_t value) {
  std::vector<Counter>& counters = totals_[at_work_].counters;
  std::vector<const char*>& texts = texts_[at_work_].counters;
  const std::size_t at = is_text(texts, next_counter_, name)
                             ? next_counter_
                             : place_of(counters, next_counter_,
                                        [&](const Counter& known) { return known.name == name; });
  if (at == counters.size()) {
    counters.push_back({std::string(name), std::string(unit), 0});
    texts.push_back(name.data());
  }
  counters[at].value += value;
  next_counter_ = at + 1;
}

}  // namespace stcsim
