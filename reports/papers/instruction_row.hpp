#pragma once

#include <cstdint>
#include <optional>

#include "common/io/yaml_reader.hpp"
#include "models/base/mma_instruction.hpp"
#include "reports/evidence/paper_answer.hpp"
#include "reports/papers/paper_column.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

enum class InstructionQuantity : std::uint8_t {
  /// Between two of them on a sub-core.
  cycles,
  /// Multiplications per cycle, zeros counted, of an SM; and against the dense instruction of the
  /// type that the machine's kernels use.
  macs_per_clk,
  gain
};

/// A matrix instruction as a machine runs it.
struct PaperInstructionRow {
  /// Type, shape and pattern.
  MmaInstruction instruction;
  InstructionQuantity quantity = InstructionQuantity::gain;
};

/// Reads the map `instruction` of a row.
[[nodiscard]] PaperInstructionRow read_instruction_row(MapReader& map);
[[nodiscard]] PaperQuantity quantity_of(const PaperInstructionRow& row);
/// @return nothing if the machine has no such instruction
[[nodiscard]] std::optional<PaperAnswer> answer_of(const PaperInstructionRow& row,
                                                   const PaperColumn& column,
                                                   const MachineConfig& machine);

}  // namespace stcsim
