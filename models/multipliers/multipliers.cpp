#include "models/multipliers/multipliers.hpp"

namespace stcsim {

Cycles Multipliers::cycles(const TensorCoreConfig& config, const MmaInstruction& instruction) {
  return cycles_for(kept_macs(instruction), config.fma_per_clk(instruction.dtype));
}

InstructionPace Multipliers::pace_at_end(const WarpProgram& program, Cycles slowest) const {
  if (!program.instruction) return {};
  const Cycles latency(program.instruction->latency_cycles);
  if (program.bubble > Millicycles()) return {slowest, program.bubble, latency, true};
  const Millicycles whole = program.instruction->accumulator == DataType::fp16
                                ? config_->same_warp_bubble_fp16
                                : config_->same_warp_bubble;
  return {slowest, Millicycles(whole.count() * own().count() / slowest.count()), latency};
}

}  // namespace stcsim
