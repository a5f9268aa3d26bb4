#include "sim/kernel/instruction_choice.hpp"

#include <algorithm>

namespace stcsim {
namespace {

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

}  // namespace

std::optional<MmaInstruction> instruction_for(const StreamingMultiprocessorConfig& sm,
                                              DataType dtype, Pattern pattern) {
  if (sm.tensor_core.fma_per_clk(dtype) == 0) return std::nullopt;
  const auto& native = sm.operand_selector.patterns_of(dtype);
  if (!pattern.is_dense() && std::find(native.begin(), native.end(), pattern) == native.end()) {
    return std::nullopt;
  }
  if (const auto listed = longest_listed(sm.tensor_core, dtype, pattern)) return listed;
  std::optional<MmaInstruction> derived = longest_listed(sm.tensor_core, dtype, kDense);
  if (!derived) return std::nullopt;
  derived->pattern = pattern;
  derived->k = derived->k * pattern.m / pattern.n;
  derived->interval_cycles = 0;
  return derived;
}

}  // namespace stcsim
