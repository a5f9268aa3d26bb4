#include "models/base/mma_instruction.hpp"

namespace stcsim {

InstructionOperands operands_of(const MmaInstruction& instruction) {
  const Pattern pattern = instruction.pattern;
  const std::int64_t bytes = bytes_per_element(instruction.dtype);
  const std::int64_t metadata_bits =
      instruction.m * (instruction.k / pattern.m) * pattern.metadata_bits_per_group();
  return {instruction.m * instruction.k * pattern.n / pattern.m * bytes,
          instruction.k * instruction.n * bytes, (metadata_bits + 7) / 8,
          instruction.m * instruction.n * bytes_per_element(instruction.accumulator)};
}

std::int64_t kept_macs(const MmaInstruction& instruction) {
  return instruction.m * instruction.n * instruction.k * instruction.pattern.n /
         instruction.pattern.m;
}

}  // namespace stcsim
