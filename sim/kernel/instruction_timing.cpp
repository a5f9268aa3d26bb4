#include "sim/kernel/instruction_timing.hpp"

#include <algorithm>

namespace stcsim {
namespace {

std::int64_t fma_per_clk(const TensorCoreConfig& tensor_core, DataType dtype) {
  for (const MultiplierRate& rate : tensor_core.multipliers) {
    if (rate.dtype == dtype) return rate.fma_per_clk;
  }
  return 0;
}

std::optional<MmaInstruction> longest_listed(const TensorCoreConfig& tensor_core, DataType dtype,
                                             Pattern pattern) {
  std::optional<MmaInstruction> longest;
  for (const MmaInstruction& instruction : tensor_core.instructions) {
    if (instruction.dtype != dtype || instruction.pattern != pattern) continue;
    if (instruction.accumulator != accumulator_of(dtype)) continue;
    if (!longest || instruction.k > longest->k) longest = instruction;
  }
  return longest;
}

/// A wait of the multipliers costs nothing while they would be idle anyway, because the operand
/// fetch or the selector takes longer than they do.
Millicycles bubble_of(const TensorCoreConfig& tensor_core, const InstructionTiming& timing,
                      DataType accumulator) {
  const Millicycles whole = accumulator == DataType::fp16 ? tensor_core.same_warp_bubble_fp16
                                                          : tensor_core.same_warp_bubble;
  if (timing.interval <= timing.multiply) return whole;
  return Millicycles(whole.count() * timing.multiply.count() / timing.interval.count());
}

}  // namespace

InstructionOperands operands_of(const MmaInstruction& instruction) {
  const Pattern pattern = instruction.pattern;
  const std::int64_t bytes = bytes_per_element(instruction.dtype);
  const std::int64_t metadata_bits =
      instruction.m * (instruction.k / pattern.m) * pattern.metadata_bits_per_group();
  return {instruction.m * instruction.k * pattern.n / pattern.m * bytes,
          instruction.k * instruction.n * bytes, (metadata_bits + 7) / 8};
}

InstructionTiming derived_timing(const StreamingMultiprocessorConfig& sm,
                                 const MmaInstruction& instruction) {
  const InstructionOperands operands = operands_of(instruction);
  const std::int64_t multiplications =
      instruction.m * instruction.n * instruction.k * instruction.pattern.n / instruction.pattern.m;
  InstructionTiming timing;
  timing.multiply = cycles_for(multiplications, fma_per_clk(sm.tensor_core, instruction.dtype));
  if (sm.operand_fetch.register_bytes_per_clk > 0) {
    timing.fetch = cycles_for(operands.a_bytes + operands.b_bytes + operands.metadata_bytes,
                              sm.operand_fetch.register_bytes_per_clk);
  }
  if (!instruction.pattern.is_dense()) {
    timing.select = std::max(cycles_for(operands.b_bytes, sm.operand_selector.b_bytes_per_clk),
                             Cycles(sm.operand_selector.metadata_decode_cycles));
  }
  timing.interval = std::max({timing.multiply, timing.fetch, timing.select});
  timing.same_warp_bubble = bubble_of(sm.tensor_core, timing, instruction.accumulator);
  return timing;
}

InstructionTiming timing_of(const StreamingMultiprocessorConfig& sm,
                            const MmaInstruction& instruction) {
  InstructionTiming timing = derived_timing(sm, instruction);
  if (instruction.interval_cycles > 0) timing.interval = Cycles(instruction.interval_cycles);
  timing.same_warp_bubble = bubble_of(sm.tensor_core, timing, instruction.accumulator);
  return timing;
}

std::optional<MmaInstruction> instruction_for(const StreamingMultiprocessorConfig& sm,
                                              DataType dtype, Pattern pattern) {
  if (fma_per_clk(sm.tensor_core, dtype) == 0) return std::nullopt;
  if (const auto listed = longest_listed(sm.tensor_core, dtype, pattern)) return listed;
  const auto& native = sm.operand_selector.native_patterns;
  if (std::find(native.begin(), native.end(), pattern) == native.end()) return std::nullopt;
  std::optional<MmaInstruction> derived = longest_listed(sm.tensor_core, dtype, kDense);
  if (!derived) return std::nullopt;
  derived->pattern = pattern;
  derived->k = derived->k * pattern.m / pattern.n;
  derived->interval_cycles = 0;
  return derived;
}

}  // namespace stcsim
