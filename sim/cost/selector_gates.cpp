#include "sim/cost/selector_gates.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "common/io/catalog.hpp"

namespace stcsim {
namespace {

/// Of a 2-input multiplexer: two transmission gates, buffered (textbook).
constexpr double kTransistorsOfMux = 12;
constexpr double kValueBits = 16;

[[noreturn]] void refuse_gates(const CsvField& field, const char* right) {
  throw ConfigError(field.where, fmt::format("'{}' must be {}", field.text, right));
}

std::int64_t count_of(const CsvField& field, const char* what) {
  constexpr std::int64_t kMost = 999'999'999;
  const auto count = to_whole_number(field.text);
  if (!count || *count < 0 || *count > kMost) refuse_gates(field, what);
  return *count;
}

/// What the table of levels calls the selector of that pattern.
std::string_view circuit_of(const OperandSelectorConfig& selector, Pattern pattern) {
  if (selector.lanes_of(pattern) == Lanes::butterfly) return to_string(Lanes::butterfly);
  return to_string(has_ordered_lanes(selector, pattern) ? Lanes::ordered : Lanes::crossbar);
}

}  // namespace

SelectorGates::SelectorGates(const std::filesystem::path& path) {
  const CsvTable table = CsvTable::read(path);
  table.check_columns({"pattern", "lanes", "coding", "flow", "transistors"}, {"depth"});
  for (const CsvTable::Row& row : table.rows()) {
    const CsvField& pattern = row[table.column("pattern")];
    const CsvField& lanes = row[table.column("lanes")];
    const CsvField& transistors = row[table.column("transistors")];
    const auto known = pattern_from_string(pattern.text);
    if (!known || known->is_dense()) refuse_gates(pattern, "a pattern, e.g. 2:4");
    if (lanes.text != "crossbar" && lanes.text != "ordered") {
      refuse_gates(lanes, "crossbar or ordered");
    }
    rows_.push_back(
        {*known, lanes.text == "ordered", count_of(transistors, "a number of transistors")});
  }
}

std::optional<TransistorRange> SelectorGates::of(Pattern pattern, bool is_ordered) const {
  std::optional<TransistorRange> range;
  for (const Row& row : rows_) {
    if (row.pattern != pattern || row.is_ordered != is_ordered) continue;
    if (!range) range = {row.transistors, row.transistors};
    range->fewest = std::min(range->fewest, row.transistors);
    range->most = std::max(range->most, row.transistors);
  }
  return range;
}

const SelectorGates& shipped_selector_gates() {
  static const SelectorGates gates(config_directory() / "costs" / "selector_gates.csv");
  return gates;
}

bool has_ordered_lanes(const OperandSelectorConfig& selector, Pattern pattern) {
  const bool skips = selector.short_groups == kSkippedSlots ||
                     selector.skipped_zeros == SkippedZeros::a ||
                     selector.skipped_zeros == SkippedZeros::both;
  if (selector.lanes != Lanes::ordered || skips) return false;
  const auto has_fewer = [&](const Pattern& other) {
    return other.m == pattern.m && other.n < pattern.n;
  };
  const auto& native = selector.native_patterns;
  return std::none_of(native.begin(), native.end(), has_fewer);
}

std::optional<TransistorRange> transistors_per_multiplier(const OperandSelectorConfig& selector,
                                                          Pattern pattern,
                                                          const SelectorGates& gates) {
  if (pattern.is_dense() || selector.passes(pattern) > 1) return std::nullopt;
  auto range = gates.of(pattern, has_ordered_lanes(selector, pattern));
  if (range) *range = {range->fewest / pattern.n, range->most / pattern.n};
  return range;
}

std::optional<GateShare> gate_share(const OperandSelectorConfig& selector,
                                    const SelectorGates& gates) {
  std::optional<GateShare> share;
  for (const Pattern& pattern : selector.native_patterns) {
    const auto found = gates.of(pattern, has_ordered_lanes(selector, pattern));
    if (!found || selector.passes(pattern) > 1) continue;
    const double counted =
        kTransistorsOfMux * kValueBits * static_cast<double>(pattern.n * (pattern.m - 1));
    const GateShare one{static_cast<double>(found->fewest) / counted,
                        static_cast<double>(found->most) / counted};
    if (!share) share = one;
    share->least = std::min(share->least, one.least);
    share->most = std::max(share->most, one.most);
  }
  return share;
}

std::optional<SelectorDepth> selector_depth(const OperandSelectorConfig& selector, double clock_mhz,
                                            const LogicSpeed& logic, const CsvTable& table) {
  table.check_columns({"pattern", "circuit", "levels"}, {"gates", "area", "library"});
  std::optional<SelectorDepth> deepest;
  for (const CsvTable::Row& row : table.rows()) {
    const std::int64_t levels = count_of(row[table.column("levels")], "a number of levels");
    for (const Pattern& pattern : selector.native_patterns) {
      const bool is_it = row[table.column("pattern")].text == pattern.to_string() &&
                         row[table.column("circuit")].text == circuit_of(selector, pattern);
      const bool fits = is_it && (pass_by_place(selector.lanes) || selector.passes(pattern) == 1);
      if (fits && (!deepest || levels > deepest->levels)) deepest = {pattern, levels};
    }
  }
  if (!deepest) return deepest;
  const double ps = 1e6 / clock_mhz - logic.register_ps;
  deepest->levels_a_cycle =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(ps / logic.ps_per_level));
  deepest->stages_needed = ceil_div(deepest->levels, deepest->levels_a_cycle) - 1;
  deepest->stages = selector.selector_stages;
  return deepest;
}

const CsvTable& shipped_selector_levels() {
  static const CsvTable table =
      CsvTable::read(config_directory() / "costs" / "selector_levels.csv");
  return table;
}

}  // namespace stcsim
