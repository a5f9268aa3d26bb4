#include "sim/run/launch_result.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/error.hpp"

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

TrafficReport traffic_of(const LaunchStatistics& statistics) {
  return {statistics.shared_memory_read_bytes,
          statistics.shared_memory_write_bytes,
          statistics.l2_read_bytes,
          statistics.l2_hit_bytes,
          statistics.l2_write_bytes,
          statistics.dram_read_bytes,
          statistics.dram_write_bytes,
          statistics.metadata_bytes};
}

void add(TrafficReport& sum, const TrafficReport& more) {
  sum.shared_memory_read_bytes += more.shared_memory_read_bytes;
  sum.shared_memory_write_bytes += more.shared_memory_write_bytes;
  sum.l2_read_bytes += more.l2_read_bytes;
  sum.l2_hit_bytes += more.l2_hit_bytes;
  sum.l2_write_bytes += more.l2_write_bytes;
  sum.dram_read_bytes += more.dram_read_bytes;
  sum.dram_write_bytes += more.dram_write_bytes;
  sum.metadata_bytes += more.metadata_bytes;
}

}  // namespace

LaunchResult to_result(const LaunchStatistics& statistics) {
  LaunchResult result;
  result.cycles = statistics.cycles.count();
  result.mma_instructions = statistics.instructions;
  result.traffic = traffic_of(statistics);
  result.events = statistics.events;
  for (const UnitTotals& unit : statistics.units) {
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
  add(first.traffic, more.traffic);
  for (std::size_t unit = 0; unit < first.units.size(); ++unit) {
    auto& buckets = first.units[unit].buckets;
    for (std::size_t at = 0; at < buckets.size(); ++at) {
      buckets[at].second += more.units[unit].buckets[at].second;
    }
  }
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
