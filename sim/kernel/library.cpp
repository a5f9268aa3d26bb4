#include "sim/kernel/library.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "common/io/suggestion.hpp"
#include "common/metadata_format.hpp"
#include "models/base/kernel_launch.hpp"
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
  return fmt::format("{} (dense {} by {}, sparse {} by {})", stack.name, stack.dense,
                     stack.dense_choice, stack.sparse, stack.sparse_choice);
}

}  // namespace stcsim
