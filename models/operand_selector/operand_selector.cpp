#include "models/operand_selector/operand_selector.hpp"

namespace stcsim {

Cycles OperandSelector::cycles(const OperandSelectorConfig& config,
                               const MmaInstruction& instruction) {
  if (instruction.pattern.is_dense()) return {};
  return cycles_for(operands_of(instruction).b_bytes, config.b_bytes_per_clk);
}

}  // namespace stcsim
