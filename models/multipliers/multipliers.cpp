#include "models/multipliers/multipliers.hpp"

namespace stcsim {

Cycles Multipliers::cycles(const TensorCoreConfig& config, const MmaInstruction& instruction) {
  return cycles_for(kept_macs(instruction), config.fma_per_clk(instruction.dtype));
}

}  // namespace stcsim
