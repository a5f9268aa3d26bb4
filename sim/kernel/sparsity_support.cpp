#include "sim/kernel/sparsity_support.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  const std::vector<Pattern> native = sm.operand_selector.runnable_patterns(dtype);
  SparsitySupport support;
  for (const Pattern& one : native) {
    if (fits(pattern, one) && instruction_for(sm, dtype, one)) support.patterns.push_back(one);
  }
  std::stable_sort(support.patterns.begin(), support.patterns.end(), [&](Pattern a, Pattern b) {
    return saves_more(a, b) || (!saves_more(b, a) && a == pattern && b != pattern);
  });
  if (native.empty()) {
    support.reason = fmt::format("no sparse tensor cores for {}", to_string(dtype));
  } else if (support.patterns.empty()) {
    support.reason =
        fmt::format("{} does not fit {} hardware", pattern.to_string(), native_list(native));
  } else if (saves_more(pattern, support.hardware())) {
    support.reason = fmt::format("{} runs at the rate of {} hardware", pattern.to_string(),
                                 support.hardware().to_string());
  }
  return support;
}

std::string reason_for(const SparsitySupport& support, Pattern pattern, Pattern chosen,
                       bool is_measured) {
  if (chosen == support.hardware()) return support.reason;
  return fmt::format("asked {}, ran as {}, because that {} faster than {}", pattern.to_string(),
                     chosen.to_string(), is_measured ? "is" : "is estimated to be",
                     support.hardware().to_string());
}

}  // namespace stcsim
