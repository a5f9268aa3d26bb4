#include "sim/run/operand_actions.hpp"

namespace stcsim {

OperandActions& OperandActions::operator+=(const OperandActions& more) {
  register_bytes += more.register_bytes;
  accumulator_bytes += more.accumulator_bytes;
  metadata_bytes += more.metadata_bytes;
  decodes += more.decodes;
  selector_muxes += more.selector_muxes;
  unmeasured_macs += more.unmeasured_macs;
  return *this;
}

std::int64_t stored_bits(DataType dtype) {
  return bytes_of(dtype, 8);
}

bool is_measured(Pattern pattern) {
  if (pattern.is_composed()) return false;
  const Pattern granules = pattern.of_granules();
  return pattern.is_dense() || granules == Pattern{1, 2} || granules == Pattern{2, 4};
}

std::int64_t muxes_per_value(Pattern pattern) {
  // Of a composed pattern the block comes first, then the place inside it.
  if (pattern.is_composed()) return pattern.of_granules().m - 1 + pattern.granule - 1;
  return pattern.is_dense() ? 0 : pattern.m / pattern.granule - 1;
}

OperandActions actions_of(const MmaInstruction& instruction, const OperandFetchConfig& fetch,
                          std::int64_t instructions) {
  const InstructionOperands operands = operands_of(instruction);
  const Pattern pattern = instruction.pattern;
  OperandActions actions;
  const std::int64_t values =
      fetch.register_bytes_per_clk > 0 ? operands.a_bytes + operands.b_bytes : 0;
  actions.register_bytes = instructions * (values + operands.metadata_bytes);
  actions.accumulator_bytes = instructions * 2 * operands.c_bytes;
  actions.metadata_bytes = instructions * operands.metadata_bytes;
  if (pattern.is_dense()) return actions;
  const std::int64_t kept = instruction.m * instruction.k * pattern.n / pattern.m;
  actions.decodes = instructions * kept / (pattern.is_composed() ? 1 : pattern.granule);
  actions.selector_muxes = instructions * kept_macs(instruction) * muxes_per_value(pattern) *
                           stored_bits(instruction.dtype);
  if (!is_measured(pattern)) actions.unmeasured_macs = instructions * kept_macs(instruction);
  return actions;
}

}  // namespace stcsim
