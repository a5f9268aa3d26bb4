#pragma once

#include <cstdint>
#include <span>

#include "common/metadata_format.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// Routes operand B to the multipliers of an n:m tensor core: of every m values of a column of B's
/// fragment it passes on the n that meet the stored values of A, as A's metadata says. All columns
/// are routed alike, so a choice is stated as rows of B's fragment.
class FunctionalOperandSelector {
 public:
  /// Dense hardware ({1, 1}) has no metadata and passes every row on.
  explicit FunctionalOperandSelector(Pattern hardware, MetadataFormat format = {});

  /// For every stored value of one row of A's fragment, the row of B's fragment it is multiplied
  /// with. `metadata`: the row's packed metadata, starting at bit 0; `b_rows`: as many entries as
  /// stored values (a multiple of n). Where pairs are kept, a position stands for both of a pair. A
  /// value that metadata place nowhere gets the row behind the last one.
  /// Throws SimulationError if metadata name what no group has (metadata_codec.hpp).
  void select(std::span<const std::uint32_t> metadata, std::span<std::int32_t> b_rows) const;

 private:
  Pattern hardware_;
  MetadataFormat format_;
  std::int64_t group_bits_;
};

}  // namespace stcsim
