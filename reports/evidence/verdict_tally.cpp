#include "reports/evidence/verdict_tally.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace stcsim {
namespace {

constexpr std::array<const char*, 7> kVerdicts{kReproduced,    kDirectionOnly, kNotToldApart,
                                               kNotReproduced, kConsistent,    kNotConsistent,
                                               kNoTest};

}  // namespace

VerdictTally::Part& VerdictTally::part_of(VerdictKind kind, const std::string& column) {
  const auto same = [&](const Part& part) { return part.kind == kind && part.column == column; };
  if (const auto at = std::ranges::find_if(parts_, same); at != parts_.end()) return *at;
  Part part{kind, column, {}};
  for (const char* const verdict : kVerdicts) part.verdicts.emplace_back(verdict, 0);
  return *parts_.insert(std::ranges::upper_bound(parts_, kind, {}, &Part::kind), std::move(part));
}

void VerdictTally::add(VerdictKind kind, const std::string& column, const std::string& verdict) {
  for (auto& [name, count] : part_of(kind, column).verdicts) {
    if (name == verdict) ++count;
  }
}

std::vector<std::string> VerdictTally::lines() const {
  std::vector<std::string> lines;
  for (const Part& part : parts_) {
    std::vector<std::string> counts;
    for (const auto& [verdict, count] : part.verdicts) {
      if (count > 0) counts.push_back(fmt::format("{} {}", count, verdict));
    }
    lines.push_back(
        fmt::format("{}, {}: {}", to_string(part.kind), part.column, fmt::join(counts, ", ")));
  }
  return lines;
}

nlohmann::ordered_json VerdictTally::to_json() const {
  auto json = nlohmann::ordered_json::array();
  for (const Part& part : parts_) {
    for (const auto& [verdict, count] : part.verdicts) {
      if (count == 0) continue;
      json.push_back({{"kind", to_string(part.kind)},
                      {"column", part.column},
                      {"verdict", verdict},
                      {"count", count}});
    }
  }
  return json;
}

}  // namespace stcsim
