#include "models/register_file/register_file.hpp"

#include <algorithm>

namespace stcsim {

Cycles RegisterFile::cycles(const OperandFetchConfig& config, const MmaInstruction& instruction) {
  const InstructionOperands operands = operands_of(instruction);
  const bool is_limit = config.accumulator_bytes_per_clk < field::kMostBytesPerClk;
  const Cycles accumulators =
      is_limit ? cycles_for(2 * operands.c_bytes, config.accumulator_bytes_per_clk) : Cycles();
  if (config.register_bytes_per_clk == 0) return accumulators;
  return std::max(accumulators,
                  cycles_for(operands.a_bytes + operands.b_bytes + operands.metadata_bytes,
                             config.register_bytes_per_clk));
}

}  // namespace stcsim
