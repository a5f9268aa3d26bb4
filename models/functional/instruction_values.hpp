#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/counts.hpp"
#include "common/data_type.hpp"
#include "common/pattern.hpp"
#include "models/functional/mma.hpp"

namespace stcsim {

/// The registers of one warp, and how far it has used them.
struct WarpRegisters {
  std::vector<Fragment> fragments;
  std::vector<std::uint32_t> accumulators;  // warp_rows x outputs_pitch
  std::vector<std::uint32_t> mask;          // of the outputs: warp_rows x metadata_words
  std::int64_t fetched = 0;                 // groups of instructions of this CTA, in order
  std::int64_t executed = 0;                // groups whose fragments have been used
  std::int64_t read = 0;                    // instructions whose operands have been taken
  std::int64_t added = 0;                   // and whose products are in the accumulators
};

/// Fills a fragment with what no operand should be.
void poison(Fragment& fragment);

/// What all instructions of a launch have in common.
struct InstructionRules {
  DataType type = DataType::fp16;
  bool of_outputs = false;
  FragmentShape shape;
  FunctionalOperandSelector selector;
};

/// Words of neighbouring columns, so that loops over them have a fixed length.
using ColumnWords = std::array<std::uint32_t, 8>;

/// A bit of an instruction's metadata, in the order of its rows.
struct MetadataBit {
  std::int64_t row = 0;
  std::int64_t bit = 0;  // of the row
};

/// The words of one instruction on their way through a tensor core, raw bits of the number format.
/// Each unit takes what the one before it has left, in its own time, and leaves what is its own:
/// the register file A, B and metadata; the decoder the selector's settings; the selector the
/// operands; the multipliers products. What has been taken is gone.
class InstructionValues {
 public:
  /// @param rules  outlive it
  /// @param done  is told when its products have been added: it may be another's
  InstructionValues(const InstructionRules& rules, std::function<void(InstructionValues&)> done)
      : rules_(&rules), done_(std::move(done)) {}

  /// It is that instruction of a warp's group from now on.
  /// @param warp  outlives the instruction
  /// @param index  of the instruction in its group: by rows of A, then by columns of B
  void begin(WarpRegisters& warp, std::int64_t group, std::int64_t index);
  /// Whether it has words of metadata.
  [[nodiscard]] bool is_sparse() const { return rules_->shape.metadata_words > 0; }
  /// A fault of the buffer: it will hold that bit inverted.
  void disturb(const MetadataBit& bit) { disturbed_ = bit; }

  /// Register file: takes the operands. With its last instruction a group's fragment is poisoned.
  /// Throws SimulationError if another instruction of the warp comes before.
  void read();
  /// Metadata buffer: takes the words, row by row.
  [[nodiscard]] std::vector<std::uint32_t> take_metadata();
  /// Decoder: of every stored value the row of B that it meets, or of every output its column.
  /// Throws SimulationError if metadata name what no group has.
  void decode(std::span<const std::uint32_t> metadata);
  /// Operand selector: of each row of A the values of B that its settings name, for each column.
  void select();
  /// Multipliers: the products, of the accumulators' type.
  void multiply();
  /// Adds the products to the warp's accumulators, stored value after stored value.
  void accumulate();

 private:
  static constexpr std::size_t kColumns = std::tuple_size_v<ColumnWords>;

  /// That the instruction's columns of B are, and those that it computes.
  [[nodiscard]] std::size_t blocks() const { return blocks_of(rules_->shape.instruction_columns); }
  [[nodiscard]] std::size_t out_blocks() const {
    return blocks_of(rules_->shape.instruction_outputs);
  }
  static std::size_t blocks_of(std::int64_t columns) {
    return (as_size(columns) + kColumns - 1) / kColumns;
  }
  void select_columns();
  void select_by_circuit();
  /// @param first  row of the group
  void take_metadata_rows(std::span<const std::uint32_t> from, std::size_t first);
  /// @param done  instructions of the warp that the unit has had before
  void require_next(const char* unit, std::int64_t done) const;

  const InstructionRules* rules_;
  std::function<void(InstructionValues&)> done_;
  WarpRegisters* warp_ = nullptr;
  std::int64_t group_ = 0;
  std::int64_t index_ = 0;
  std::optional<MetadataBit> disturbed_;
  std::vector<std::uint32_t> a_;         // rows x stored values
  std::vector<std::uint32_t> metadata_;  // rows x words
  std::vector<ColumnWords> b_;           // k x blocks of columns, and a row of zeros
  std::vector<std::int32_t> places_;     // rows x stored values: rows of B; or x outputs: columns
  // Rows x stored values x out_blocks, in words as accumulators have them: operands, then products.
  std::vector<ColumnWords> lanes_;
};

}  // namespace stcsim
