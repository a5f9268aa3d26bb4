#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/metadata_format.hpp"
#include "common/pattern.hpp"
#include "models/base/stage_message.hpp"
#include "models/functional/mma.hpp"
#include "models/tensor_core/tensor_core_config.hpp"

namespace stcsim {

/// What a tensor core does with the data of an instruction that its time depends on.
struct SelectionRules {
  /// Whether slots are skipped that hold a zero of A, or meet a zero of B.
  bool skips_a = false;
  bool skips_b = false;
  /// Slots of a row, from the first on, in which a row or column may be ahead of the others: 1, all
  /// skip a slot or none does; those of a group; or all of the row's.
  std::int64_t window = 1;
  /// Granules of a group that a multiplexer sees at a time.
  std::int64_t lane_inputs = kMaxGroup;
  /// In a butterfly, granules of a group whose places are equal modulo its n take a pass each.
  Lanes lanes = Lanes::ordered;
  /// Slots that hold no value are not stored, nor are their positions: each group then says how
  /// many it has, but by a bit mask, which says it anyway.
  bool is_packed = false;
  std::int64_t element_bits = 16;
  /// Of an element: those that are not all 0 unless it is a zero. A sign is not among them.
  std::uint32_t value_bits = 0x7fff;

  [[nodiscard]] bool depend_on_data(Pattern hardware) const {
    const std::int64_t granules = hardware.m / (hardware.is_composed() ? 1 : hardware.granule);
    const bool is_narrow = lane_inputs < granules || pass_by_place(lanes);
    return skips_a || skips_b || is_packed || (!hardware.is_dense() && is_narrow);
  }
};

/// Finds the work that the values and the metadata in a warp's registers make: which slots need a
/// multiplication, and at which parts of its groups the selector has to look.
class SelectionWork {
 public:
  SelectionWork(const SelectionRules& rules, Pattern hardware, const FragmentShape& shape,
                MetadataFormat format);

  /// Has that circuit decode metadata.
  void stand_in(SelectionCircuit* circuit) { selector_.stand_in(circuit); }

  /// Of each of the instructions of a group, in the order of issue: by rows of A, then by columns
  /// of B.
  [[nodiscard]] std::span<const InstructionWork> of(const Fragment& fragment);

 private:
  void find_places(const Fragment& fragment);
  [[nodiscard]] InstructionWork of_one(const Fragment& fragment, std::int64_t first_row,
                                       std::int64_t first_column) const;
  [[nodiscard]] bool holds_value(const Fragment& fragment, std::int64_t row,
                                 std::int64_t slot) const;
  [[nodiscard]] std::int64_t slots(const Fragment& fragment, std::int64_t first_row,
                                   std::int64_t first_column) const;
  [[nodiscard]] std::int64_t needed(const Fragment& fragment, std::int64_t row, std::int64_t column,
                                    std::int64_t first_slot) const;
  [[nodiscard]] std::int64_t looks(const Fragment& fragment, std::int64_t first_row) const;
  [[nodiscard]] std::int64_t collisions(const Fragment& fragment, std::int64_t row,
                                        std::int64_t group) const;
  void count_bytes(const Fragment& fragment, std::int64_t first_row, InstructionWork& work) const;

  SelectionRules rules_;
  Pattern hardware_;
  FragmentShape shape_;
  MetadataFormat format_;
  FunctionalOperandSelector selector_;
  std::vector<std::int32_t> places_;  // of rows x stored_values: the row of B's fragment
  std::vector<InstructionWork> work_;
};

}  // namespace stcsim
