#include "models/sub_core/sub_core.hpp"

#include <algorithm>

#include "models/functional/instruction_values.hpp"

namespace stcsim {

namespace {

/// Cycles that so many bytes of A, B and metadata take; none where they pass by.
Cycles supply_cycles(const OperandFetchConfig& config, std::int64_t bytes) {
  if (config.register_bytes_per_clk == 0) return {};
  return cycles_for(bytes, config.register_bytes_per_clk);
}

}  // namespace

Cycles RegisterFile::accumulator_cycles(const OperandFetchConfig& config,
                                        const MmaInstruction& instruction) {
  if (config.accumulator_bytes_per_clk >= field::kMostBytesPerClk) return {};
  return cycles_for(2 * operands_of(instruction).c_bytes, config.accumulator_bytes_per_clk);
}

Cycles RegisterFile::cycles(const OperandFetchConfig& config, const MmaInstruction& instruction) {
  const InstructionOperands operands = operands_of(instruction);
  const std::int64_t bytes = operands.a_bytes + operands.b_bytes + operands.metadata_bytes;
  return std::max(accumulator_cycles(config, instruction), supply_cycles(config, bytes));
}

Cycles RegisterFile::own_cycles_of(const StageMessage& message) const {
  const InstructionWork& work = message.work;
  const std::int64_t bytes = work.a_bytes + work.b_bytes + work.metadata_bytes;
  return std::max(accumulators_, supply_cycles(*config_, bytes));
}

std::int64_t RegisterFile::use(StageMessage& message, Cycle now) {
  if (progress != nullptr && message.closes_group) {
    progress->push(std::max(message.last, now + kOneCycle), 0,
                   {message.warp, GroupProgress::Kind::fragments_read});
  }
  return message.work.a_bytes + message.work.b_bytes + message.work.metadata_bytes;
}

void RegisterFile::work_on(const StageMessage& message) {
  message.values->read();
}

InstructionTiming timing_of(const SubCoreConfig& sub_core, const WarpProgram& program) {
  InstructionTiming timing;
  if (!program.instruction) {
    VectorUnit lanes(sub_core.vector_lanes_per_sub_core, sub_core.special_lanes_per_sub_core);
    timing.pace = lanes.launch(program);
    timing.multiply = lanes.own();
    return timing;
  }
  RegisterFile registers(sub_core.operand_fetch);
  TensorCore tensor_core(sub_core.tensor_core, sub_core.operand_selector);
  DirectWires().connect(registers.next, tensor_core);
  timing.pace = registers.launch(program);
  timing.supply = registers.own();
  timing.decode = tensor_core.metadata_buffer.own();
  timing.select = tensor_core.operand_selector.own();
  timing.multiply = tensor_core.multipliers.own();
  return timing;
}

InstructionTiming timing_of(const SubCoreConfig& sub_core, const MmaInstruction& instruction) {
  WarpProgram program;
  program.instruction = instruction;
  return timing_of(sub_core, program);
}

Cycles issue_cycles(const SubCoreConfig& sub_core, const KernelLaunch& launch, std::int64_t steps) {
  const WarpProgram& warp = launch.warp;
  const std::int64_t instructions = launch.warps * steps * warp.instructions_per_step();
  return Cycles((timing_of(sub_core, warp).pace.interval * instructions).count() /
                sub_core.sub_cores);
}

}  // namespace stcsim
