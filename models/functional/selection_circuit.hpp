#pragma once

#include <cstdint>
#include <span>

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
};

}  // namespace stcsim
