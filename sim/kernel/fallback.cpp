#include "sim/kernel/fallback.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/config/kernel_space.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/library.hpp"

namespace stcsim {
namespace {

bool fits_any(const MachineConfig& machine, const std::vector<KernelConfig>& kernels,
              DataType dtype, Pattern pattern) {
  std::string why_not;
  return std::any_of(kernels.begin(), kernels.end(), [&](const KernelConfig& one) {
    return fit_kernel(machine, one, dtype, pattern, why_not).has_value();
  });
}

}  // namespace

std::vector<Pattern> patterns_without_kernels(const MachineConfig& machine, DataType dtype) {
  if (!machine.supports(dtype)) return {};
  const std::vector<KernelConfig> own = all_kernels(machine);
  std::vector<Pattern> patterns{kDense};
  for (const Pattern one : machine.accelerator.sm.operand_selector.runnable_patterns(dtype)) {
    patterns.push_back(one);
  }
  std::erase_if(patterns, [&](Pattern one) {
    return fits_any(machine, own, dtype, one) ||
           !fits_any(machine, machine.fallback_kernels, dtype, one);
  });
  return patterns;
}

std::string fallback_note(const MachineConfig& machine, const std::string& stack, DataType dtype) {
  const StackConfig software = stack_named(machine, stack);
  std::vector<std::string> names;
  for (const Pattern one : patterns_without_kernels(machine, dtype)) {
    const std::string& source = one.is_dense() ? software.dense : software.sparse;
    if (source == kOwnKernels) names.push_back(one.to_string());
  }
  if (names.empty()) return "";
  return fmt::format("{}: none of its kernels fits {} {}: small tiles stand in ({})", machine.name,
                     to_string(dtype), fmt::join(names, ", "), kFallbackFile);
}

}  // namespace stcsim
