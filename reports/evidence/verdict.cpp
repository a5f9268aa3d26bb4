#include "reports/evidence/verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace stcsim {
namespace {

constexpr std::array<std::string_view, 5> kVerdictKinds{"against measured", "against estimated",
                                                        "own training", "arithmetic", "fitted"};

constexpr std::array<const char*, 10> kVerdicts{
    kReproduced,    kDirectionOnly, kNotToldApart,  kNotReproduced,  kConsistent,
    kNotConsistent, kNoTest,        kSameDirection, kOtherDirection, kNoDirection};

/// Differences that chance alone makes more often have no direction.
constexpr double kByChance = 0.05;

bool meets(double low, double high, double least, double most) {
  return high >= least && low <= most;
}

/// Distance outside an end of the published range that still counts as inside.
double margin(double end, PaperUnit unit, double tolerance) {
  return unit == PaperUnit::points ? tolerance : tolerance * std::abs(end);
}

bool is_met(const PublishedFigure& published, PaperUnit unit, double tolerance,
            const PaperAnswer& answer) {
  return meets(answer.low, answer.high, published.least - margin(published.least, unit, tolerance),
               published.most + margin(published.most, unit, tolerance));
}

/// The published figure less no effect; 0 if that is part of it, or if there is no such figure.
double effect_of(const PublishedFigure& published, const std::optional<double>& neutral) {
  if (!neutral || meets(*neutral, *neutral, published.least, published.most)) return 0;
  return (published.least + published.most) / 2 - *neutral;
}

/// The hint that a training of another network gives.
const char* direction_of(double effect, const std::optional<double>& neutral,
                         const PaperAnswer& answer) {
  const double ours = answer.value - neutral.value_or(0);
  if (effect == 0 || ours == 0 || answer.p_value.value_or(1) >= kByChance) return kNoDirection;
  return ours * effect > 0 ? kSameDirection : kOtherDirection;
}

}  // namespace

MachineSort sort_of(const MachineConfig& machine) {
  if (machine.name == "ideal") return MachineSort::counting;
  return machine.stacks.empty() ? MachineSort::hypothetical : MachineSort::built;
}

std::string_view to_string(VerdictKind kind) {
  return kVerdictKinds.at(static_cast<std::size_t>(kind));
}

std::optional<VerdictKind> simulated_kind(std::string_view obtained, MachineSort machine,
                                          bool is_fitted) {
  const bool is_measured = obtained == "measured";
  if (is_measured && machine != MachineSort::built) return std::nullopt;
  if (machine == MachineSort::counting) return VerdictKind::arithmetic;
  if (is_fitted) return VerdictKind::fitted;
  if (obtained == "derived") return std::nullopt;
  return is_measured ? VerdictKind::measured : VerdictKind::estimated;
}

double deviation_of(const PublishedFigure& published, PaperUnit unit, double value) {
  if (value >= published.least && value <= published.most) return 0;
  const double end = value < published.least ? published.least : published.most;
  return unit == PaperUnit::points || end == 0 ? value - end : (value - end) / std::abs(end);
}

std::string deviation_text(const PublishedFigure& published, PaperUnit unit, double value) {
  const double deviation = deviation_of(published, unit, value);
  return unit == PaperUnit::points ? fmt::format("{:+.2f}", deviation)
                                   : fmt::format("{:+.1f} %", 100 * deviation);
}

std::string verdict_of(VerdictKind kind, const PublishedFigure& published, Quantity quantity,
                       double tolerance, const PaperAnswer& answer) {
  if (kind == VerdictKind::fitted) return kNoTest;
  const QuantityInfo& info = info_of(quantity);
  const bool is_close = is_met(published, info.unit, tolerance, answer);
  if (kind == VerdictKind::arithmetic) return is_close ? kConsistent : kNotConsistent;
  const double effect = effect_of(published, info.neutral);
  if (kind == VerdictKind::training) return direction_of(effect, info.neutral, answer);
  const auto is_on_its_side = [&](double value) {
    return (value - info.neutral.value_or(0)) * effect > 0;
  };
  const bool has_its_direction = is_on_its_side(answer.low) && is_on_its_side(answer.high);
  if (is_close) return effect == 0 || has_its_direction ? kReproduced : kNotToldApart;
  return has_its_direction ? kDirectionOnly : kNotReproduced;
}

bool is_short_of(std::string_view verdict) {
  constexpr std::array<std::string_view, 4> kMet{kReproduced, kConsistent, kNoTest, kSameDirection};
  return std::ranges::find(kMet, verdict) == kMet.end();
}

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
