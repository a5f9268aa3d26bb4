#include "sim/kernel/sparsity_support.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/config/machine.hpp"
#include "sim/kernel/column_gather.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/library.hpp"

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
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.k < b.k; });
  return found;
}

/// So many columns of C that the longest dense one has those that are computed, but no more than
/// any instruction has.
std::vector<MmaInstruction> derived_of_outputs(MmaInstruction longest, Pattern pattern) {
  constexpr std::int64_t kMostColumns = 256;
  const std::int64_t groups = std::max<std::int64_t>(longest.n / pattern.n, 1);
  const std::int64_t most = std::max<std::int64_t>(kMostColumns / pattern.m, 1);
  longest.n = std::min(groups, most) * pattern.m;
  longest.pattern = pattern;
  longest.interval_cycles = 0;
  return {longest};
}

/// @param dense  as listed() gives them, at least one
std::vector<MmaInstruction> derived(const std::vector<MmaInstruction>& dense, Pattern pattern) {
  const MmaInstruction& longest = dense.back();
  if (pattern.of_outputs) return derived_of_outputs(longest, pattern);
  const std::int64_t most = std::max<std::int64_t>(1, longest.k / pattern.n);
  std::vector<MmaInstruction> found;
  for (std::int64_t groups = most; groups >= 1; --groups) {
    if (most % groups != 0 || (groups < most && groups * pattern.m < longest.k)) continue;
    const auto holds_as_many = std::ranges::find_if(
        dense, [&](const MmaInstruction& one) { return one.k >= groups * pattern.n; });
    MmaInstruction one = holds_as_many == dense.end() ? longest : *holds_as_many;
    one.pattern = pattern;
    one.k = groups * pattern.m;
    one.interval_cycles = 0;
    found.push_back(one);
  }
  return found;
}

std::string native_list(const std::vector<Pattern>& patterns) {
  std::string text;
  for (const Pattern& pattern : patterns) text += (text.empty() ? "" : ", ") + pattern.to_string();
  return text;
}

/// m/n of `a` greater than m/n of `b`.
bool saves_more(Pattern a, Pattern b) {
  return a.m * b.n > b.m * a.n;
}

/// Support of patterns that hardware knows.
SparsitySupport support_of_rows(const MachineConfig& machine, DataType dtype, Pattern pattern) {
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  const std::vector<Pattern> native = sm.operand_selector.runnable_patterns(dtype);
  SparsitySupport support;
  for (const Pattern& one : native) {
    if (fits(pattern, one) && instruction_for(sm, dtype, one)) support.patterns.push_back(one);
  }
  std::ranges::stable_sort(support.patterns, [&](Pattern a, Pattern b) {
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

/// Support of a pattern (2N-2):2N that no native one holds.
SparsitySupport support_of_windows(const MachineConfig& machine, DataType dtype, Pattern pattern) {
  SparsitySupport support = support_of_rows(machine, dtype, kOfWindows);
  if (support.patterns.empty()) return support;
  support.reason = fmt::format(
      "{} runs as {} of windows, K {:.4g} times as long; another kernel copies rows of B",
      pattern.to_string(), kOfWindows.to_string(), 2.0 * pattern.share());
  return support;
}

bool is_plain(const GemmProblem& problem) {
  return problem.a == Footprint() && problem.b == Footprint();
}

void append(std::vector<KernelConfig>& kernels, const LibraryConfig& library) {
  for (const LibraryKernel& one : library.kernels) kernels.push_back(one.kernel);
}

/// Stacks whose kernels gather what the problem's A selects: "" or "; stack spatha does".
std::string who_gathers(const MachineConfig& machine, const GemmProblem& problem) {
  std::vector<std::string> names;
  for (const StackConfig& stack : machine.stacks) {
    const LibraryConfig* const library = library_named(machine, stack.sparse);
    if (library == nullptr) continue;
    std::vector<KernelConfig> kernels;
    append(kernels, *library);
    const bool gathers = std::ranges::any_of(kernels, [&](const KernelConfig& one) {
      return gathers_columns(one, kOfSelectedColumns, problem);
    });
    if (gathers) names.push_back(stack.name);
  }
  return names.empty() ? "" : fmt::format("; stack {} does", fmt::join(names, ", "));
}

/// Why none of the kernels gathers.
std::string why_not_gathered(const MachineConfig& machine, const GemmProblem& problem,
                             const std::string& whose) {
  if (!is_plain(problem)) {
    return fmt::format("{} is for matrices in memory, not for the operands of a convolution",
                       problem.a_pattern.to_string());
  }
  return fmt::format("no kernel of {} gathers columns in tiles whose rows divide {}{}", whose,
                     problem.a_pattern.block_rows, who_gathers(machine, problem));
}

/// @param kernels  that there are
/// @param whose  they are
SparsitySupport support_with(const MachineConfig& machine, const GemmProblem& problem,
                             const std::vector<KernelConfig>& kernels, const std::string& whose) {
  const Pattern pattern = problem.a_pattern;
  SparsitySupport of_rows = support_of_rows(machine, problem.dtype, pattern.of_rows());
  SparsitySupport support;
  std::string why_not;
  const auto is_gathered_as = [&](Pattern hardware) {
    return std::ranges::any_of(kernels, [&](const KernelConfig& one) {
      return gathers_columns(one, hardware, problem) &&
             fit_kernel(machine, one, problem.dtype, hardware, why_not);
    });
  };
  for (const Pattern hardware :
       support_of_rows(machine, problem.dtype, kOfSelectedColumns).patterns) {
    if (is_gathered_as(hardware)) support.patterns.push_back(hardware);
  }
  if (support.patterns.empty()) {
    support.reason = why_not_gathered(machine, problem, whose);
    if (!of_rows.reason.empty()) support.reason += "; " + of_rows.reason;
  }
  for (const Pattern hardware : of_rows.patterns) {
    const auto known = std::find(support.patterns.begin(), support.patterns.end(), hardware);
    if (known == support.patterns.end()) support.patterns.push_back(hardware);
  }
  return support;
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

SparsitySupport sparsity_support(const MachineConfig& machine, DataType dtype, Pattern pattern) {
  if (pattern.is_dense()) return {};
  if (!pattern.selects_columns()) {
    SparsitySupport support = support_of_rows(machine, dtype, pattern);
    const bool has_none = support.patterns.empty() && slides(pattern);
    return has_none ? support_of_windows(machine, dtype, pattern) : support;
  }
  GemmProblem problem;
  problem.dtype = dtype;
  problem.a_pattern = pattern;
  std::vector<KernelConfig> kernels = all_kernels(machine);
  for (const LibraryConfig& library : machine.libraries) append(kernels, library);
  return support_with(machine, problem, kernels, machine.name);
}

SparsitySupport sparsity_support(const MachineConfig& machine, const GemmProblem& problem,
                                 const KernelPolicy& policy) {
  if (!problem.a_pattern.selects_columns()) {
    if (slides(problem.a_pattern) && !is_plain(problem)) {
      return support_of_rows(machine, problem.dtype, problem.a_pattern);
    }
    return sparsity_support(machine, problem.dtype, problem.a_pattern);
  }
  std::vector<KernelConfig> kernels = all_kernels(machine);
  if (policy.kernel != "auto") {
    std::erase_if(kernels, [&](const KernelConfig& one) { return one.name != policy.kernel; });
    return support_with(machine, problem, kernels,
                        fmt::format("{} named '{}'", machine.name, policy.kernel));
  }
  const std::vector<std::string> sources =
      sources_of(machine, policy.stack, problem, problem.a_pattern);
  const bool has_own = library_named(machine, sources.front()) == nullptr;
  if (!has_own) kernels.clear();
  for (const std::string& source : sources) {
    const LibraryConfig* const library = library_named(machine, source);
    if (library != nullptr) append(kernels, *library);
  }
  return support_with(machine, problem, kernels,
                      has_own ? machine.name : sources.front() + " on " + machine.name);
}

GemmProblem in_windows(const MachineConfig& machine, const GemmProblem& problem) {
  const Pattern pattern = problem.a_pattern;
  if (!slides(pattern) || !is_plain(problem)) return problem;
  const bool is_native = !support_of_rows(machine, problem.dtype, pattern).patterns.empty();
  const SparsitySupport windows = support_of_rows(machine, problem.dtype, kOfWindows);
  return is_native || windows.patterns.empty() ? problem : of_windows(problem);
}

std::string reason_for(const SparsitySupport& support, Pattern pattern, Pattern chosen,
                       bool is_measured) {
  if (chosen == support.hardware()) return support.reason;
  return fmt::format("asked {}, ran as {}, because that {} faster than {}", pattern.to_string(),
                     chosen.to_string(), is_measured ? "is" : "is estimated to be",
                     support.hardware().to_string());
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
