#include "sim/kernel/instruction_choice.hpp"

#include <algorithm>

namespace stcsim {
namespace {

/// Listed for `dtype` and `pattern` with the usual accumulator, the shortest k first.
std::vector<MmaInstruction> listed(const TensorCoreConfig& tensor_core, DataType dtype,
                                   Pattern pattern) {
  std::vector<MmaInstruction> found;
  for (const MmaInstruction& one : tensor_core.instructions) {
    const bool is_usual = one.accumulator == accumulator_of(dtype);
    if (one.dtype == dtype && one.pattern == pattern && is_usual) found.push_back(one);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.k < b.k; });
  return found;
}

/// @param dense  as listed() gives them, at least one
std::vector<MmaInstruction> derived(const std::vector<MmaInstruction>& dense, Pattern pattern) {
  const MmaInstruction& longest = dense.back();
  const std::int64_t most = std::max<std::int64_t>(1, longest.k / pattern.n);
  std::vector<MmaInstruction> found;
  for (std::int64_t groups = most; groups >= 1; --groups) {
    if (most % groups != 0 || (groups < most && groups * pattern.m < longest.k)) continue;
    const auto holds_as_many =
        std::find_if(dense.begin(), dense.end(),
                     [&](const MmaInstruction& one) { return one.k >= groups * pattern.n; });
    MmaInstruction one = holds_as_many == dense.end() ? longest : *holds_as_many;
    one.pattern = pattern;
    one.k = groups * pattern.m;
    one.interval_cycles = 0;
    found.push_back(one);
  }
  return found;
}

}  // namespace

std::vector<MmaInstruction> instructions_for(const StreamingMultiprocessorConfig& sm,
                                             DataType dtype, Pattern pattern) {
  if (sm.tensor_core.fma_per_clk(dtype) == 0) return {};
  const auto native = sm.operand_selector.runnable_patterns(dtype);
  if (!pattern.is_dense() && std::find(native.begin(), native.end(), pattern) == native.end()) {
    return {};
  }
  std::vector<MmaInstruction> found = listed(sm.tensor_core, dtype, pattern);
  if (found.empty()) {
    const std::vector<MmaInstruction> dense = listed(sm.tensor_core, dtype, kDense);
    if (!dense.empty()) found = derived(dense, pattern);
  } else {
    found.erase(found.begin(), found.end() - 1);
  }
  for (MmaInstruction& one : found) one.metadata = sm.operand_selector.metadata_format();
  return found;
}

std::optional<MmaInstruction> instruction_for(const StreamingMultiprocessorConfig& sm,
                                              DataType dtype, Pattern pattern) {
  const std::vector<MmaInstruction> all = instructions_for(sm, dtype, pattern);
  if (all.empty()) return std::nullopt;
  return all.front();
}

}  // namespace stcsim
