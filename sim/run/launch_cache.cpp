#include "sim/run/launch_cache.hpp"

#include <cstddef>
#include <cstring>

#include "common/error.hpp"

namespace stcsim {
namespace {

/// Visits all values of statistics, always in the same order. Names are not among them.
template <class Statistics, class Visit>
void for_each_value(Statistics& statistics, const Visit& visit) {
  visit(statistics.cycles);
  visit(statistics.events);
  for (auto& unit : statistics.units) {
    visit(unit.instances);
    for (auto& bucket : unit.buckets) visit(bucket.second);
    for (auto& counter : unit.counters) visit(counter.value);
  }
  if (!statistics.sampled) return;
  visit(statistics.sampled->cycles_low);
  visit(statistics.sampled->cycles_high);
  visit(statistics.sampled->simulated_ctas);
  visit(statistics.sampled->ctas);
}

class Writer {
 public:
  explicit Writer(std::string& bytes) : bytes_(&bytes) {}
  void operator()(std::int64_t value) const {
    bytes_->append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(Cycles cycles) const { (*this)(cycles.count()); }

 private:
  std::string* bytes_;
};

class Reader {
 public:
  Reader(const std::string& bytes, std::size_t& at) : bytes_(&bytes), at_(&at) {}
  void operator()(std::int64_t& value) const {
    if (*at_ + sizeof value > bytes_->size()) throw SimulationError("a launch of another form");
    std::memcpy(&value, bytes_->data() + *at_, sizeof value);
    *at_ += sizeof value;
  }
  void operator()(Cycles& cycles) const {
    std::int64_t count = 0;
    (*this)(count);
    cycles = Cycles(count);
  }

 private:
  const std::string* bytes_;
  std::size_t* at_;
};

constexpr char kWhole = 'w';
constexpr char kSampled = 's';

}  // namespace

std::optional<LaunchStatistics> LaunchCache::find(const std::string& key,
                                                  const LaunchStatistics& blank) {
  const std::optional<std::string> bytes = table_.find(key);
  if (!bytes || bytes->empty()) return std::nullopt;
  LaunchStatistics statistics = blank;
  statistics.sampled.reset();
  if (bytes->front() == kSampled) statistics.sampled.emplace();
  std::size_t at = 1;
  for_each_value(statistics, Reader(*bytes, at));
  if (at != bytes->size()) throw SimulationError("a launch of another form");
  return statistics;
}

void LaunchCache::keep(const std::string& key, const LaunchStatistics& statistics) {
  if (statistics.events < kFewEvents) return;
  std::string bytes(1, statistics.sampled ? kSampled : kWhole);
  for_each_value(statistics, Writer(bytes));
  table_.put(key, bytes);
}

}  // namespace stcsim
