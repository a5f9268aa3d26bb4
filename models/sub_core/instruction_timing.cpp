#include "models/sub_core/instruction_timing.hpp"

#include <algorithm>

#include "models/metadata_buffer/metadata_buffer.hpp"
#include "models/multipliers/multipliers.hpp"
#include "models/operand_selector/operand_selector.hpp"
#include "models/register_file/register_file.hpp"
#include "models/vector_unit/vector_unit.hpp"

namespace stcsim {
namespace {

Millicycles bubble_of(const TensorCoreConfig& tensor_core, const InstructionTiming& timing,
                      DataType accumulator) {
  const Millicycles whole = accumulator == DataType::fp16 ? tensor_core.same_warp_bubble_fp16
                                                          : tensor_core.same_warp_bubble;
  if (timing.interval <= timing.multiply) return whole;
  return Millicycles(whole.count() * timing.multiply.count() / timing.interval.count());
}

}  // namespace

InstructionTiming timing_of(const StreamingMultiprocessorConfig& sm,
                            const MmaInstruction& instruction) {
  InstructionTiming timing;
  timing.multiply = Multipliers::cycles(sm.tensor_core, instruction);
  timing.supply = RegisterFile::cycles(sm.operand_fetch, instruction);
  timing.decode = MetadataBuffer::cycles(sm.operand_selector, instruction);
  timing.select = OperandSelector::cycles(sm.operand_selector, instruction);
  timing.interval = std::max({timing.multiply, timing.supply, timing.decode, timing.select});
  timing.same_warp_bubble = bubble_of(sm.tensor_core, timing, instruction.accumulator);
  timing.latency = Cycles(instruction.latency_cycles);
  return timing;
}

InstructionTiming timing_of(const StreamingMultiprocessorConfig& sm, const WarpProgram& program) {
  if (program.instruction) return timing_of(sm, *program.instruction);
  InstructionTiming timing;
  timing.multiply = timing.interval = timing.latency =
      VectorUnit::cycles(sm.vector_lanes_per_sub_core);
  return timing;
}

}  // namespace stcsim
