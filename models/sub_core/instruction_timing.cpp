#include "models/sub_core/instruction_timing.hpp"

#include "models/register_file/register_file.hpp"
#include "models/tensor_core/tensor_core.hpp"
#include "models/vector_unit/vector_unit.hpp"

namespace stcsim {

InstructionTiming timing_of(const StreamingMultiprocessorConfig& sm, const WarpProgram& program) {
  InstructionTiming timing;
  if (!program.instruction) {
    VectorUnit lanes(sm.vector_lanes_per_sub_core);
    timing.pace = lanes.launch(program);
    timing.multiply = lanes.own();
    return timing;
  }
  RegisterFile registers(sm.operand_fetch);
  TensorCore tensor_core(sm);
  DirectWires().connect(registers.next, tensor_core);
  timing.pace = registers.launch(program);
  timing.supply = registers.own();
  timing.decode = tensor_core.metadata_buffer.own();
  timing.select = tensor_core.operand_selector.own();
  timing.multiply = tensor_core.multipliers.own();
  return timing;
}

InstructionTiming timing_of(const StreamingMultiprocessorConfig& sm,
                            const MmaInstruction& instruction) {
  WarpProgram program;
  program.instruction = instruction;
  return timing_of(sm, program);
}

Cycles issue_cycles(const StreamingMultiprocessorConfig& sm, const KernelLaunch& launch,
                    std::int64_t steps) {
  const WarpProgram& warp = launch.warp;
  const std::int64_t instructions =
      launch.warps * steps * warp.groups_per_step * warp.instructions_per_group;
  return Cycles((timing_of(sm, warp).pace.interval * instructions).count() / sm.sub_cores);
}

}  // namespace stcsim
