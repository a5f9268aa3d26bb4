#include "sim/kernel/profiled_kernel.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <regex>
#include <utility>
#include <vector>

#include "common/counts.hpp"
#include "common/data_type.hpp"
#include "common/error.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/library.hpp"
#include "sim/kernel/sparsity_support.hpp"

namespace stcsim {
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
    const bool is_sparse = !problem.a_pattern.is_dense();
    if (!has_type || one.kernel.sparse != is_sparse || one.any_alignment) continue;
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
  const LibraryConfig* const library =
      library_named(machine, problem.a_pattern.is_dense() ? of_stack.dense : of_stack.sparse);
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
