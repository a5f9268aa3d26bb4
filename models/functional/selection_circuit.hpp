#pragma once

#include <cstdint>
#include <span>

#include "models/base/clocked_beats.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {

/// A metadata decoder and a selector of one group that may stand in for the built-in ones: a
/// circuit that is simulated as such. Of patterns that keep single elements.
class SelectionCircuit {
 public:
  SelectionCircuit() = default;
  SelectionCircuit(const SelectionCircuit&) = delete;
  SelectionCircuit& operator=(const SelectionCircuit&) = delete;
  virtual ~SelectionCircuit() = default;
  /// @param metadata  of the group, starting at bit 0
  /// @param places  n, filled in
  virtual void decode(std::span<const std::uint32_t> metadata, std::span<std::int32_t> places) = 0;
  /// @param group  m values of a column of B, raw bits
  /// @param selected  n, filled in
  virtual void select(std::span<const std::uint32_t> group, std::span<const std::int32_t> places,
                      std::span<std::uint32_t> selected) = 0;
  /// A new circuit that decides when the beats of a sub-core's metadata decoder or operand selector
  /// leave it, of which the two above are the values, or what its metadata buffer holds; it lives
  /// as long as this. Null: there is none.
  virtual ClockedUnit* clocked(const UnitKind& /*stage*/) { return nullptr; }
};

}  // namespace stcsim
