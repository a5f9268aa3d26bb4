#include "sim/kernel/sparsity_support.hpp"

#include <fmt/format.h>

#include "sim/kernel/instruction_choice.hpp"

namespace stcsim {
namespace {

std::string native_list(const std::vector<Pattern>& patterns) {
  std::string text;
  for (const Pattern& pattern : patterns) text += (text.empty() ? "" : ", ") + pattern.to_string();
  return text;
}

/// m/n of `a` greater than m/n of `b`.
bool saves_more(Pattern a, Pattern b) {
  return a.m * b.n > b.m * a.n;
}

}  // namespace

SparsitySupport sparsity_support(const MachineConfig& machine, DataType dtype, Pattern pattern) {
  if (pattern.is_dense()) return {};
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  SparsitySupport support;
  for (const Pattern& native : sm.operand_selector.patterns_of(dtype)) {
    if (!fits(pattern, native) || !instruction_for(sm, dtype, native)) continue;
    if (support.hardware.is_dense() || saves_more(native, support.hardware)) {
      support.hardware = native;
    }
  }
  if (sm.operand_selector.patterns_of(dtype).empty()) {
    support.reason = fmt::format("{} has no sparse tensor cores", machine.name);
  } else if (support.hardware.is_dense()) {
    support.reason = fmt::format("{} does not fit {} hardware", pattern.to_string(),
                                 native_list(sm.operand_selector.patterns_of(dtype)));
  } else if (saves_more(pattern, support.hardware)) {
    support.reason = fmt::format("{} runs at the rate of {} hardware", pattern.to_string(),
                                 support.hardware.to_string());
  }
  return support;
}

}  // namespace stcsim
