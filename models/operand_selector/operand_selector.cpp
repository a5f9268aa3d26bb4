#include "models/operand_selector/operand_selector.hpp"

#include <algorithm>

namespace stcsim {

Cycles OperandSelector::cycles(const OperandSelectorConfig& config,
                               const TensorCoreConfig& multipliers,
                               const MmaInstruction& instruction) {
  if (instruction.pattern.is_dense()) return {};
  const Cycles input = cycles_for(operands_of(instruction).b_bytes, config.b_bytes_per_clk);
  const std::int64_t passes = config.passes(instruction.pattern);
  if (passes == 1) return input;
  const Cycles pass =
      cycles_for(kept_macs(instruction), multipliers.fma_per_clk(instruction.dtype));
  return std::max(input, pass * passes);
}

}  // namespace stcsim
