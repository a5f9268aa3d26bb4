#include "sim/kernel/library.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "common/metadata_format.hpp"
#include "common/suggestion.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/gemm_kernel.hpp"

namespace stcsim {

namespace {

/// The largest power of two, up to the widest access, that divides `bytes`.
std::int64_t widest_in(std::int64_t bytes) {
  return std::gcd(bytes, OperandStream::kWidestAccessBytes);
}

std::int64_t widest_of(const GemmProblem& problem, OperandLayout layout, std::int64_t extent,
                       Pattern pattern) {
  const bool along_k = layout == OperandLayout::k_major;
  const std::int64_t length = along_k ? problem.k : extent;
  return widest_in(row_bytes(length, along_k ? pattern : kDense, problem.dtype).values);
}

/// Whose kernels, and how one of them is chosen.
std::pair<std::string, std::string> side_of(const StackConfig& stack, bool is_dense) {
  return is_dense ? std::pair(stack.dense, stack.dense_choice)
                  : std::pair(stack.sparse, stack.sparse_choice);
}

std::string unknown_stack(const MachineConfig& machine, const std::string& name) {
  const std::vector<std::string> names = machine.stack_names();
  return fmt::format("{} has no stack '{}', must be one of {}{}", machine.name, name,
                     fmt::join(names, ", "), did_you_mean(name, names));
}

}  // namespace

std::int64_t access_bytes(const GemmProblem& problem, Pattern hardware) {
  const bool is_convolution = problem.a != Footprint() || problem.b != Footprint();
  if (is_convolution) return OperandStream::kWidestAccessBytes;
  return std::min(widest_of(problem, problem.a_layout, problem.m, hardware),
                  widest_of(problem, problem.b_layout, problem.n, kDense));
}

bool needs_any_alignment(const LibraryConfig& library, const GemmProblem& problem,
                         Pattern hardware) {
  if (access_bytes(problem, hardware) == OperandStream::kWidestAccessBytes) return false;
  return std::any_of(library.kernels.begin(), library.kernels.end(),
                     [&](const LibraryKernel& entry) {
                       return entry.any_alignment && entry.kernel.sparse == !hardware.is_dense();
                     });
}

bool is_considered(const LibraryKernel& entry, const FittedKernel& kernel,
                   const MachineConfig& machine, const GemmProblem& problem) {
  const bool k_contiguous =
      problem.a_layout == OperandLayout::k_major && problem.b_layout == OperandLayout::k_major;
  if (entry.k_contiguous && *entry.k_contiguous != k_contiguous) return false;
  const std::vector<DataType>& types = entry.dtypes;
  if (!types.empty() && std::find(types.begin(), types.end(), problem.dtype) == types.end()) {
    return false;
  }
  if (problem.k < entry.min_k || problem.k > entry.max_k) return false;
  if (problem.n < entry.min_n) return false;
  if (problem.m > entry.max_m || problem.n > entry.max_n) return false;
  if (entry.max_waves == 0) return true;
  const std::int64_t ctas = ceil_div(problem.m, kernel.config.tile_m) *
                            ceil_div(problem.n, kernel.config.tile_n) * problem.batch_count;
  return ctas <= entry.max_waves * machine.accelerator.num_sms * kernel.ctas_per_sm;
}

const LibraryConfig* library_named(const MachineConfig& machine, const std::string& name) {
  const auto found = std::find_if(machine.libraries.begin(), machine.libraries.end(),
                                  [&](const LibraryConfig& one) { return one.name == name; });
  return found == machine.libraries.end() ? nullptr : &*found;
}

StackConfig stack_named(const MachineConfig& machine, const std::string& name) {
  const StackConfig best{kBestStack, kOwnKernels, kBySearch, kOwnKernels, kBySearch};
  if (name == kBestStack) return best;
  if (name.empty()) return machine.stacks.empty() ? best : machine.stacks.front();
  if (const StackConfig* const found = machine.find_stack(name)) return *found;
  throw ConfigError(unknown_stack(machine, name));
}

std::vector<std::string> sources_of(const MachineConfig& machine, const std::string& stack,
                                    bool is_dense) {
  const StackConfig own = stack_named(machine, stack);
  std::vector<std::string> sources{side_of(own, is_dense).first};
  if (own.name != kBestStack) return sources;
  for (const StackConfig& one : machine.stacks) {
    const std::string source = side_of(one, is_dense).first;
    const bool is_new = std::find(sources.begin(), sources.end(), source) == sources.end();
    if (is_new) sources.push_back(source);
  }
  return sources;
}

std::vector<StackSide> sides_of_stacks(const MachineConfig& machine,
                                       const std::vector<Pattern>& hardware) {
  std::vector<StackSide> sides;
  for (const bool is_dense : {false, true}) {
    std::vector<Pattern> patterns = hardware;
    std::erase_if(patterns, [&](Pattern one) { return one.is_dense() != is_dense; });
    if (patterns.empty()) continue;
    std::set<std::pair<std::string, std::string>> known;
    // Where they are all patterns, that search is the same.
    if (patterns == hardware) known.emplace(kOwnKernels, kBySearch);
    for (const StackConfig& stack : machine.stacks) {
      if (known.insert(side_of(stack, is_dense)).second) sides.push_back({stack.name, patterns});
    }
  }
  return sides;
}

std::string read_stack(MapReader& map, const MachineConfig& machine) {
  if (!map.has("stack")) return "";
  const std::string name = map.get_string("stack");
  const std::vector<std::string> names = machine.stack_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    map.fail("stack", unknown_stack(machine, name));
  }
  return name;
}

std::string describe(const StackConfig& stack) {
  if (stack.name == kBestStack) return fmt::format("{} (all kernels by search)", kBestStack);
  return fmt::format("{} (dense {} by {}, sparse {} by {})", stack.name, stack.dense,
                     stack.dense_choice, stack.sparse, stack.sparse_choice);
}

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

GemmProblem dense_of(GemmProblem gemm) {
  gemm.a_pattern = kDense;
  return gemm;
}

KernelPolicy policy_of_dense(const KernelPolicy& policy) {
  if (policy.kernel == "auto") return policy;
  return {"auto", policy.candidates, "", policy.sampled};
}

bool may_run_dense(const MachineConfig& machine, const KernelPolicy& policy) {
  const bool is_best =
      policy.stack == kBestStack || (policy.stack.empty() && machine.stacks.empty());
  return is_best && policy.kernel == "auto";
}

}  // namespace stcsim
