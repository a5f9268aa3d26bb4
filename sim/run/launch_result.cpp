#include "sim/run/launch_result.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace stcsim {
namespace {

/// Buckets in which a unit does its own work.
constexpr std::array<std::string_view, 4> kWorking{"busy", "fill", "fetch", "staging"};

/// The stages that an instruction passes within the tensor core's issue interval.
bool is_part_of_tensor_core(std::string_view unit) {
  constexpr std::array<std::string_view, 4> kStages{"register_file", "metadata_buffer",
                                                    "operand_selector", "multipliers"};
  return std::find(kStages.begin(), kStages.end(), unit) != kStages.end();
}

bool is_working(std::string_view bucket) {
  for (const std::string_view name : kWorking) {
    if (name == bucket) return true;
  }
  return false;
}

double working_share(const UnitReport& unit) {
  std::int64_t working = 0;
  std::int64_t all = 0;
  for (const auto& [name, cycles] : unit.buckets) {
    all += cycles;
    if (is_working(name)) working += cycles;
  }
  return all > 0 ? static_cast<double>(working) / static_cast<double>(all) : 0.0;
}

/// The element of that name in `all`, which is made if there is none.
template <class T, class IsIt>
T& found_or_added(std::vector<T>& all, const T& like, IsIt is_it) {
  const auto found = std::find_if(all.begin(), all.end(), is_it);
  return found != all.end() ? *found : all.emplace_back(like);
}

void add(std::vector<Counter>& sum, const Counter& more) {
  const Counter none{more.name, more.unit, 0};
  const auto is_it = [&](const Counter& known) { return known.name == more.name; };
  found_or_added(sum, none, is_it).value += more.value;
}

void add(std::vector<UnitReport>& sum, const UnitReport& more) {
  const UnitReport none{more.unit, more.instances, {}};
  const auto is_unit = [&](const UnitReport& known) { return known.unit == more.unit; };
  auto& buckets = found_or_added(sum, none, is_unit).buckets;
  for (const auto& bucket : more.buckets) {
    const auto is_bucket = [&](const auto& known) { return known.first == bucket.first; };
    found_or_added(buckets, {bucket.first, 0}, is_bucket).second += bucket.second;
  }
}

}  // namespace

LaunchResult to_result(const LaunchStatistics& statistics) {
  LaunchResult result;
  result.cycles = statistics.cycles.count();
  result.mma_instructions = statistics.instructions();
  for (const Counter& counter : statistics.counters()) {
    if (counter.name != "instructions") result.counters.push_back(counter);
  }
  result.events = statistics.events;
  for (const UnitTotals& unit : statistics.units) {
    if (unit.buckets.empty()) continue;
    UnitReport report{unit.unit, unit.instances, {}};
    for (const auto& [name, cycles] : unit.buckets)
      report.buckets.emplace_back(name, cycles.count());
    result.units.push_back(report);
  }
  return result;
}

void append_launch(LaunchResult& first, const LaunchStatistics& second) {
  LaunchResult more = to_result(second);
  more.mma_instructions = 0;  // a reduction's instructions are vector ones
  append_result(first, more);
}

void append_result(LaunchResult& first, const LaunchResult& more) {
  first.cycles += more.cycles;
  first.multiplier_macs += more.multiplier_macs;
  first.peak_macs += more.peak_macs;
  first.mma_instructions += more.mma_instructions;
  first.events += more.events;
  for (const Counter& counter : more.counters) add(first.counters, counter);
  for (const UnitReport& unit : more.units) add(first.units, unit);
}

std::string busiest_unit(const LaunchResult& result) {
  std::string busiest = "none";
  double share = 0.0;
  for (const UnitReport& unit : result.units) {
    if (is_part_of_tensor_core(unit.unit)) continue;
    if (working_share(unit) > share) {
      share = working_share(unit);
      busiest = unit.unit;
    }
  }
  return busiest;
}

}  // namespace stcsim
