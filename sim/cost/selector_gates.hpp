#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "common/io/csv_table.hpp"
#include "common/pattern.hpp"
#include "models/tensor_core/tensor_core_config.hpp"
#include "sim/cost/cost_table.hpp"

namespace stcsim {

/// From the fewest to the most.
struct TransistorRange {
  std::int64_t fewest = 0;
  std::int64_t most = 0;

  friend bool operator==(const TransistorRange&, const TransistorRange&) = default;
};

/// Transistors of selectors as synthesis makes them, of one group of 16-bit values.
class SelectorGates {
 public:
  /// @param path  as `make rtl` writes it
  /// @throws ConfigError with file:line:column
  explicit SelectorGates(const std::filesystem::path& path);

  /// Over all codings and flows of the table; nothing of patterns that it does not have.
  [[nodiscard]] std::optional<TransistorRange> of(Pattern pattern, bool is_ordered) const;

 private:
  struct Row {
    Pattern pattern;
    bool is_ordered = false;
    std::int64_t transistors = 0;
  };
  std::vector<Row> rows_;
};

/// The shipped table; read once.
[[nodiscard]] const SelectorGates& shipped_selector_gates();

/// Whether slot i of the pattern need not see other places than i to i + m - n: the machine's lanes
/// are ordered, it has no pattern with fewer values of as many, and skips no slots.
[[nodiscard]] bool has_ordered_lanes(const OperandSelectorConfig& selector, Pattern pattern);

/// What the selector of one of its patterns takes for each of the multipliers of a group; nothing
/// where the table does not have it, or lanes see a part of the group at a time.
[[nodiscard]] std::optional<TransistorRange> transistors_per_multiplier(
    const OperandSelectorConfig& selector, Pattern pattern, const SelectorGates& gates);

/// What the selector's multiplexers take by gates, as a share of 12 transistors for each of their
/// 2-input multiplexers: of all native patterns that the table has, from the least to the most.
struct GateShare {
  double least = 0;
  double most = 0;
};
[[nodiscard]] std::optional<GateShare> gate_share(const OperandSelectorConfig& selector,
                                                  const SelectorGates& gates);

/// The deepest of a machine's selectors beside what its clock lets pass between two registers.
struct SelectorDepth {
  Pattern pattern;
  std::int64_t levels = 0;
  std::int64_t levels_a_cycle = 0;
  /// Registers that cut it into parts of a cycle each, and those that it has.
  std::int64_t stages_needed = 0;
  std::int64_t stages = 0;

  friend bool operator==(const SelectorDepth&, const SelectorDepth&) = default;
};

/// Between the registers before and behind a selector that has a cycle of its own, (10^6 /
/// clock_mhz - register_ps) / ps_per_level levels a cycle. Nothing where no pattern of one pass
/// stands in the table.
/// @param table  of levels, as `make rtl` writes it
/// @throws ConfigError with file:line:column
[[nodiscard]] std::optional<SelectorDepth> selector_depth(const OperandSelectorConfig& selector,
                                                          double clock_mhz, const LogicSpeed& logic,
                                                          const CsvTable& table);

/// configs/costs/selector_levels.csv; read once.
[[nodiscard]] const CsvTable& shipped_selector_levels();

}  // namespace stcsim
