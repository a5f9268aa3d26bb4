#include "sim/kernel/library.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <regex>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/counts.hpp"
#include "common/data_type.hpp"
#include "common/error.hpp"
#include "common/metadata_format.hpp"
#include "common/suggestion.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/convolution.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/mapper.hpp"
#include "sim/kernel/sparsity_support.hpp"

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

std::string unknown_stack(const MachineConfig& machine, const std::string& name) {
  const std::vector<std::string> names = machine.stack_names();
  return fmt::format("{} has no stack '{}', must be one of {}{}", machine.name, name,
                     fmt::join(names, ", "), did_you_mean(name, names));
}

}  // namespace

std::int64_t access_bytes(const GemmProblem& problem, Pattern hardware, bool and_c) {
  const bool is_convolution = problem.a != Footprint() || problem.b != Footprint();
  if (is_convolution) return OperandStream::kWidestAccessBytes;
  const std::int64_t operands =
      std::min(widest_of(problem, problem.a_layout, problem.m, hardware.of_a()),
               widest_of(problem, problem.b_layout, problem.n, kDense));
  if (!and_c) return operands;
  const std::int64_t row = problem.c_layout == OutputLayout::row_major ? problem.n : problem.m;
  return std::min(operands, widest_in(bytes_of(output_of(problem.dtype), row)));
}

bool needs_any_alignment(const LibraryConfig& library, const GemmProblem& problem,
                         Pattern hardware) {
  if (access_bytes(problem, hardware, true) == OperandStream::kWidestAccessBytes) return false;
  return std::ranges::any_of(library.kernels, [&](const LibraryKernel& entry) {
    return entry.kernel.any_alignment && entry.kernel.sparse == !hardware.of_a().is_dense();
  });
}

bool is_considered(const LibraryKernel& entry, const FittedKernel& kernel,
                   const MachineConfig& machine, const GemmProblem& problem) {
  const bool k_contiguous =
      problem.a_layout == OperandLayout::k_major && problem.b_layout == OperandLayout::k_major;
  if (!is_for_convolution(entry, problem)) return false;
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
  const auto found = std::ranges::find(machine.libraries, name, &LibraryConfig::name);
  return found == machine.libraries.end() ? nullptr : &*found;
}

StackConfig stack_named(const MachineConfig& machine, const std::string& name) {
  const StackConfig best{kBestStack, kOwnKernels, kBySearch, kOwnKernels, kBySearch};
  if (name == kBestStack) return best;
  if (name.empty()) return machine.stacks.empty() ? best : machine.stacks.front();
  if (const StackConfig* const found = machine.find_stack(name)) return *found;
  throw ConfigError(unknown_stack(machine, name));
}

KernelSource source_of(const StackConfig& stack, const GemmProblem& problem, Pattern hardware) {
  if (!hardware.of_a().is_dense()) return {stack.sparse, stack.sparse_choice};
  if (!problem.convolution || stack.convolutions.empty()) return {stack.dense, stack.dense_choice};
  return {stack.convolutions, stack.convolutions_choice};
}

std::vector<std::string> sources_of(const MachineConfig& machine, const std::string& stack,
                                    const GemmProblem& problem, Pattern hardware) {
  const StackConfig own = stack_named(machine, stack);
  std::vector<std::string> sources{source_of(own, problem, hardware).kernels};
  if (own.name != kBestStack) return sources;
  for (const StackConfig& one : machine.stacks) {
    const std::string source = source_of(one, problem, hardware).kernels;
    const bool is_new = std::find(sources.begin(), sources.end(), source) == sources.end();
    if (is_new) sources.push_back(source);
  }
  return sources;
}

std::vector<StackSide> sides_of_stacks(const MachineConfig& machine, const GemmProblem& problem,
                                       const std::vector<Pattern>& hardware) {
  std::vector<StackSide> sides;
  for (const bool is_dense : {false, true}) {
    std::vector<Pattern> patterns = hardware;
    std::erase_if(patterns, [&](Pattern one) { return one.of_a().is_dense() != is_dense; });
    if (patterns.empty()) continue;
    std::set<KernelSource> known;
    // Where they are all patterns, that search is the same.
    if (patterns == hardware) known.insert({kOwnKernels, kBySearch});
    for (const StackConfig& stack : machine.stacks) {
      const bool is_new = known.insert(source_of(stack, problem, patterns.front())).second;
      if (is_new) sides.push_back({stack.name, patterns});
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
  const std::string convolutions =
      stack.convolutions.empty()
          ? ""
          : fmt::format(", convolutions {} by {}", stack.convolutions, stack.convolutions_choice);
  return fmt::format("{} (dense {} by {}, sparse {} by {}{})", stack.name, stack.dense,
                     stack.dense_choice, stack.sparse, stack.sparse_choice, convolutions);
}

namespace {

bool fits_any(const MachineConfig& machine, const std::vector<KernelConfig>& kernels,
              DataType dtype, Pattern pattern) {
  std::string why_not;
  return std::ranges::any_of(kernels, [&](const KernelConfig& one) {
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
    const auto instruction = instruction_for(machine.accelerator.sm, dtype, one);
    return !instruction || fits_any(machine, own, dtype, one) ||
           !why_unmapped(machine, *instruction).empty();
  });
  return patterns;
}

std::string mapping_note(const MachineConfig& machine, const std::string& stack, DataType dtype) {
  if (all_kernels(machine).empty()) return "";
  const StackConfig software = stack_named(machine, stack);
  std::vector<std::string> names;
  for (const Pattern one : patterns_without_kernels(machine, dtype)) {
    const std::string& source = one.of_a().is_dense() ? software.dense : software.sparse;
    if (source == kOwnKernels) names.push_back(one.to_string());
  }
  if (names.empty()) return "";
  return fmt::format(
      "{}: none of its kernels fits {} {}: ones made for it stand in, which nobody has compiled "
      "({}_...)",
      machine.name, to_string(dtype), fmt::join(names, ", "), kMapped);
}

namespace {

/// Of an element of tile_k in kernel lists (kernel_config.hpp).
constexpr std::int64_t kBytesOfKernels = 2;
constexpr std::int64_t kRowsOfWarp = 16;
constexpr std::int64_t kRowsOfGroup = 64;  // of a wgmma, whose warps share what they read of B
constexpr std::int64_t kMostStages = 16;

using Match = std::match_results<std::string_view::const_iterator>;

std::optional<Match> found(std::string_view text, const char* expression) {
  Match match;
  if (!std::regex_search(text.begin(), text.end(), match, std::regex(expression))) {
    return std::nullopt;
  }
  return match;
}

/// A part that the expression only lets digits through for; 1 where it is left out.
std::int64_t number(const Match& match, std::size_t part) {
  std::int64_t value = 1;
  const std::string text = match[part].str();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// How far two tiles are from each other, in rows and columns.
std::int64_t distance(const KernelConfig& kernel, const KernelName& name) {
  return std::abs(kernel.tile_m - name.tile_m) + std::abs(kernel.tile_n - name.tile_n);
}

/// The library's kernel that is nearest to the name; nothing if it has none for the type.
std::optional<KernelConfig> nearest(const LibraryConfig& library, const KernelName& name,
                                    const GemmProblem& problem) {
  std::optional<KernelConfig> best;
  for (const LibraryKernel& one : library.kernels) {
    const bool has_type = one.dtypes.empty() || std::ranges::count(one.dtypes, problem.dtype) > 0;
    const bool is_sparse = !problem.a_pattern.of_a().is_dense();
    if (!has_type || one.kernel.sparse != is_sparse || one.kernel.any_alignment) continue;
    if (!best || distance(one.kernel, name) < distance(*best, name)) best = one.kernel;
  }
  return best;
}

KernelConfig config_of(const KernelName& name, KernelConfig kernel, DataType dtype) {
  kernel.name = "measured";
  kernel.tile_m = name.tile_m;
  kernel.tile_n = name.tile_n;
  kernel.tile_k = bytes_of(dtype, name.tile_k) / kBytesOfKernels;
  kernel.warps_m =
      kernel.ping_pong ? kWarpsOfGroup : std::max<std::int64_t>(name.tile_m / kRowsOfWarp, 1);
  kernel.warps_n = 1;
  kernel.b_shared_by_warps = kWarpsOfGroup;
  kernel.multicast_a = name.cluster_n;
  kernel.multicast_b = name.cluster_m.value_or(1);
  return kernel;
}

/// Gives the kernel the stages that its name says, else as many as fit; two groups of warps side by
/// side, each with all rows, where one above the other does not fit.
void fit(KernelConfig& kernel, const KernelName& name, const MachineConfig& machine,
         const GemmProblem& problem) {
  const Pattern hardware = sparsity_support(machine, problem.dtype, problem.a_pattern).hardware();
  const std::int64_t warps_of_rows = kernel.warps_m;
  std::string why_not;
  for (const bool is_one_group : {true, false}) {
    kernel.warps_m = is_one_group ? warps_of_rows : kWarpsOfGroup;
    kernel.warps_n = is_one_group ? 1 : 2;
    const std::int64_t least = name.stages.value_or(1);
    for (kernel.stages = name.stages.value_or(kMostStages); kernel.stages >= least;
         --kernel.stages) {
      if (fit_kernel(machine, kernel, problem.dtype, hardware, why_not)) return;
    }
  }
  throw ConfigError(why_not);
}

/// The kernel of that name, of the machine or of one of its libraries.
std::optional<KernelConfig> listed(const MachineConfig& machine, const std::string& name) {
  std::vector<KernelConfig> kernels = all_kernels(machine);
  for (const LibraryConfig& library : machine.libraries) {
    for (const LibraryKernel& one : library.kernels) kernels.push_back(one.kernel);
  }
  const auto found = std::ranges::find(kernels, name, &KernelConfig::name);
  return found == kernels.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::optional<KernelName> kernel_name(std::string_view name) {
  KernelName read;
  if (const auto nvjet = found(
          name, "^nvjet_sm90_[a-z]+_([0-9]+)x([0-9]+)_([0-9]+)x([0-9]+)_([0-9]+)x([0-9]+)_")) {
    // Columns of C come first. They are the rows of wgmma's product where they fill it.
    read.is_transposed = number(*nvjet, 1) % kRowsOfGroup == 0;
    read.tile_m = number(*nvjet, read.is_transposed ? 1 : 2);
    read.tile_n = number(*nvjet, read.is_transposed ? 2 : 1);
    read.tile_k = number(*nvjet, 3);
    read.stages = number(*nvjet, 4);
    read.cluster_m = number(*nvjet, read.is_transposed ? 5 : 6);
    read.cluster_n = number(*nvjet, read.is_transposed ? 6 : 5);
    read.splits_k = name.find("splitK") != std::string_view::npos;
    return read;
  }
  if (const auto xmma = found(name,
                              "^sm90_xmma_sparse_gemm_.*_tilesize([0-9]+)x([0-9]+)x([0-9]+)"
                              "(_cgasize([0-9]+)x([0-9]+)x[0-9]+)?_")) {
    read.tile_m = number(*xmma, 1);
    read.tile_n = number(*xmma, 2);
    read.tile_k = number(*xmma, 3);
    if ((*xmma)[4].matched) read.cluster_m = number(*xmma, 5);
    read.cluster_n = number(*xmma, 6);
    read.segments_k = name.find("segment_k_on") != std::string_view::npos;
    return read;
  }
  return std::nullopt;
}

NamedKernelRun run_of(const KernelName& name, const GemmProblem& problem,
                      const MachineConfig& machine, const std::string& stack) {
  NamedKernelRun run{machine, problem, ""};
  if (name.is_transposed) {
    if (!problem.a_pattern.is_dense()) throw ConfigError("a kernel of dense products");
    std::swap(run.problem.m, run.problem.n);
    std::swap(run.problem.a, run.problem.b);
    std::swap(run.problem.a_layout, run.problem.b_layout);
  }
  const StackConfig of_stack = stack_named(machine, stack);
  const LibraryConfig* const library = library_named(
      machine, problem.a_pattern.of_a().is_dense() ? of_stack.dense : of_stack.sparse);
  const auto like = library == nullptr ? std::nullopt : nearest(*library, name, problem);
  if (!like) {
    throw ConfigError("stack '" + of_stack.name + "' has no library with kernels for it");
  }
  KernelConfig kernel = config_of(name, *like, problem.dtype);
  fit(kernel, name, machine, problem);
  run.kernel = kernel.name;
  if (!name.splits_k) run.machine.split_k = {1};
  run.machine.kernels.push_back(std::move(kernel));
  return run;
}

std::optional<std::int64_t> received_bytes(const MachineConfig& machine, const GemmProblem& problem,
                                           const KernelReport& report) {
  const auto kernel = listed(machine, report.name);
  if (!kernel) return std::nullopt;
  const Pattern hardware = sparsity_support(machine, problem.dtype, problem.a_pattern).hardware();
  std::string why_not;
  const auto fitted = fit_kernel(machine, *kernel, problem.dtype, hardware, why_not);
  if (!fitted) return std::nullopt;
  const KernelLaunch launch = gemm_launch(machine, *fitted, problem, report.split_k);
  const auto whole = [](std::int64_t tiles, std::int64_t cluster) {
    return ceil_div(tiles, cluster) * cluster;
  };
  return whole(launch.tiles_m, launch.ctas_per_read(Operand::b)) *
         whole(launch.tiles_n, launch.ctas_per_read(Operand::a)) * launch.batch_count *
         launch.k_steps * launch.stage_bytes();
}

}  // namespace stcsim
