#include "reports/validation/unit_waits.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stcsim {
namespace {

constexpr double kWorthNaming = 0.1;

/// Nothing but these: the unit had hardly a part in the launch.
bool means_nothing_to_do(const std::string& bucket) {
  return bucket == "idle" || bucket == "starved";
}

std::string waits_of(const UnitReport& unit) {
  std::int64_t total = 0;
  for (const auto& [bucket, cycles] : unit.buckets) total += cycles;
  std::vector<std::pair<std::string, std::int64_t>> buckets;
  bool worked = false;
  for (const auto& [bucket, cycles] : unit.buckets) {
    if (static_cast<double>(cycles) < kWorthNaming * static_cast<double>(total)) continue;
    worked = worked || !means_nothing_to_do(bucket);
    buckets.emplace_back(bucket, cycles);
  }
  if (!worked) return "";
  std::stable_sort(buckets.begin(), buckets.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> shares;
  for (const auto& [bucket, cycles] : buckets) {
    shares.push_back(fmt::format("{} {:.0f} %", bucket,
                                 100.0 * static_cast<double>(cycles) / static_cast<double>(total)));
  }
  return fmt::format("{} {}", unit.unit, fmt::join(shares, ", "));
}

}  // namespace

std::string unit_waits(const std::vector<UnitReport>& units) {
  std::vector<std::string> waits;
  for (const UnitReport& unit : units) {
    std::string of_unit = waits_of(unit);
    if (!of_unit.empty()) waits.push_back(std::move(of_unit));
  }
  return fmt::format("{}", fmt::join(waits, "; "));
}

}  // namespace stcsim
