#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "common/pattern.hpp"
#include "models/tensor_core/tensor_core_config.hpp"

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

}  // namespace stcsim
