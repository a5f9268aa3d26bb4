#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/data_type.hpp"
#include "common/metadata_format.hpp"
#include "common/pattern.hpp"
#include "models/functional/functional_kernel.hpp"
#include "models/functional/selection_circuit.hpp"

namespace stcsim {

/// Routes operand B to the multipliers of an n:m tensor core: of every m values of a column of B's
/// fragment it passes on the n that meet the stored values of A, as A's metadata says. All columns
/// are routed alike, so a choice is stated as rows of B's fragment. Of outputs it passes on n of
/// every m columns, as the mask of a row of C says: columns then stand where rows stand below.
class FunctionalOperandSelector {
 public:
  /// Dense hardware ({1, 1}) has no metadata and passes every row on.
  explicit FunctionalOperandSelector(Pattern hardware = kDense, MetadataFormat format = {});

  /// For every stored value of one row of A's fragment, the row of B's fragment it is multiplied
  /// with. `metadata`: the row's packed metadata, starting at bit 0; `b_rows`: as many entries as
  /// stored values (a multiple of n). Where pairs are kept, a position stands for both of a pair. A
  /// value that metadata place nowhere gets the row behind the last one.
  /// Throws SimulationError if metadata name what no group has (metadata_codec.hpp).
  void select(std::span<const std::uint32_t> metadata, std::span<std::int32_t> b_rows) const;

  /// Bits of metadata that locate so many kept elements of whole groups.
  [[nodiscard]] std::int64_t bits_of(std::int64_t kept) const {
    return kept / hardware_.n * group_bits_;
  }

  /// Has that circuit decode metadata and select; null: what is built in.
  void stand_in(SelectionCircuit* circuit) { circuit_ = circuit; }
  [[nodiscard]] bool has_circuit() const { return circuit_ != nullptr; }
  [[nodiscard]] ClockedUnit* circuit_of(const UnitKind& stage) const {
    return has_circuit() ? circuit_->clocked(stage) : nullptr;
  }
  /// The values of one column of B's fragment that a row's places select, by the circuit.
  /// @param column  k values
  void select_values(std::span<const std::int32_t> b_rows, std::span<const std::uint32_t> column,
                     std::span<std::uint32_t> selected) const;

 private:
  /// Of so many bits at most, all words that a group may have are decoded beforehand.
  static constexpr std::int64_t kMostTableBits = 12;

  /// Groups from the first on whose elements are in the table, and set now; words hold whole ones.
  std::int64_t looked_up(std::span<const std::uint32_t> metadata,
                         std::span<std::int32_t> b_rows) const;
  /// The elements that the group's word keeps; null: it is in no table.
  [[nodiscard]] const std::int32_t* answer_of(std::span<const std::uint32_t> metadata,
                                              std::int64_t group) const;
  void decode_by_circuit(std::span<const std::uint32_t> metadata, std::int64_t group,
                         std::span<std::int32_t> kept) const;

  SelectionCircuit* circuit_ = nullptr;
  Pattern hardware_;
  MetadataFormat format_;
  std::int64_t group_bits_;
  std::vector<std::int32_t> answers_;  // of every word of a group; empty: they are too many
  bool has_whole_groups_ = false;      // words of metadata have no part of one
};

/// Fragment columns are padded to a multiple of this, so that the multipliers' inner loop has a
/// fixed length and vectorises.
inline constexpr std::int64_t kColumnBlock = 16;

/// Extents of one warp's mma group.
struct FragmentShape {
  std::int64_t rows = 0;            // of A and of the accumulators
  std::int64_t stored_values = 0;   // of A per row
  std::int64_t metadata_words = 0;  // per row: of A, or of the mask of C
  std::int64_t k = 0;               // rows of B
  std::int64_t columns = 0;         // of B
  std::int64_t pitch = 0;           // the same, padding included
  std::int64_t outputs = 0;         // columns of the accumulators: those that are computed
  std::int64_t outputs_pitch = 0;   // the same, padding included
  // Of the instructions that the group consists of:
  std::int64_t instruction_rows = 0;
  std::int64_t instruction_columns = 0;
  std::int64_t instruction_outputs = 0;
  std::int64_t instruction_words = 0;  // of metadata, per row

  FragmentShape() = default;
  explicit FragmentShape(const FunctionalKernel& kernel);
  /// Of a group: by rows of A, then by columns of B.
  [[nodiscard]] std::int64_t instructions() const {
    return rows / instruction_rows * (columns / instruction_columns);
  }
};

/// Operands of one mma group as a warp's registers hold them: raw bits of the number format.
struct Fragment {
  std::vector<std::uint32_t> a;         // rows x stored_values
  std::vector<std::uint32_t> metadata;  // rows x metadata_words
  std::vector<std::uint32_t> b;         // k x pitch
};

/// The multipliers and adders of a tensor core, fed by its operand selector. Holds scratch space
/// only: one object serves all warps.
class MmaUnit {
 public:
  MmaUnit(DataType type, Pattern hardware, const FragmentShape& shape, MetadataFormat format = {});

  /// accumulators[rows x outputs_pitch] += A * B, stored value after stored value in ascending k.
  ///
  /// Accumulators are 32-bit words: fp32 with one rounding per addition, or wrapping int32 for
  /// int8 and int4. Products of two operand values are exact in fp32 unless they leave fp32's
  /// exponent range. Real tensor cores sum several products before they round, in an order that is
  /// not published (Fasi et al., "Numerical behavior of NVIDIA tensor cores", PeerJ Comput. Sci. 7,
  /// 2021); the order here is fixed so that a reference can reproduce every bit.
  void execute(const Fragment& fragment, std::span<std::uint32_t> accumulators);

 private:
  /// A fragment's numbers, as the multipliers take them.
  template <typename Operand>
  struct Operands {
    std::vector<Operand> a;
    std::vector<Operand> b;  // and a row of zeros
  };

  template <typename Sum, typename Operand>
  void multiply(const Fragment& fragment, const Operands<Operand>& operands,
                std::span<std::uint32_t> accumulators);
  /// Only the outputs that the mask wants: the selector moves whole columns of B.
  template <typename Sum, typename Operand>
  void multiply_wanted(const Fragment& fragment, const Operands<Operand>& operands,
                       std::span<std::uint32_t> accumulators);

  DataType type_;
  Pattern hardware_;
  FragmentShape shape_;
  FunctionalOperandSelector selector_;
  Operands<float> floats_;           // of types that accumulate in fp32
  Operands<std::int16_t> integers_;  // of those that accumulate in int32
  std::vector<std::int32_t> b_rows_;
  std::vector<std::int32_t> b_columns_;  // of one row's outputs
};

/// Whether operands of the type are whole numbers, and products add up to int32.
[[nodiscard]] bool is_integer(DataType type);

/// into[i] += from[i] in the accumulator's arithmetic (fp32 or wrapping int32).
void add_words(DataType accumulator, std::span<const std::uint32_t> from,
               std::span<std::uint32_t> into);

}  // namespace stcsim
