#include "models/register_file/register_file.hpp"

namespace stcsim {

Cycles RegisterFile::cycles(const OperandFetchConfig& config, const MmaInstruction& instruction) {
  if (config.register_bytes_per_clk == 0) return {};
  const InstructionOperands operands = operands_of(instruction);
  return cycles_for(operands.a_bytes + operands.b_bytes + operands.metadata_bytes,
                    config.register_bytes_per_clk);
}

}  // namespace stcsim
