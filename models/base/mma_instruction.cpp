#include "models/base/mma_instruction.hpp"

#include "common/metadata_format.hpp"

namespace stcsim {

InstructionOperands operands_of(const MmaInstruction& instruction) {
  const RowBytes a_row =
      row_bytes(instruction.k, instruction.pattern, instruction.dtype, instruction.metadata);
  const RowBytes b_column = row_bytes(instruction.k, kDense, instruction.dtype);
  return {instruction.m * a_row.values, instruction.n * b_column.values,
          instruction.m * a_row.metadata,
          bytes_of(instruction.accumulator, instruction.m * instruction.n)};
}

std::int64_t kept_macs(const MmaInstruction& instruction) {
  return instruction.m * instruction.n * instruction.k * instruction.pattern.n /
         instruction.pattern.m;
}

}  // namespace stcsim
