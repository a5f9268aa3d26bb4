#include "sim/kernel/library.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "sim/kernel/gemm_kernel.hpp"

namespace stcsim {

bool is_considered(const LibraryKernel& entry, const FittedKernel& kernel,
                   const MachineConfig& machine, const GemmProblem& problem) {
  const bool k_contiguous =
      problem.a_layout == OperandLayout::k_major && problem.b_layout == OperandLayout::k_major;
  if (entry.k_contiguous && *entry.k_contiguous != k_contiguous) return false;
  if (problem.k < entry.min_k || problem.k > entry.max_k) return false;
  if (problem.m > entry.max_m || problem.n > entry.max_n) return false;
  if (entry.max_waves == 0) return true;
  const std::int64_t ctas = ceil_div(problem.m, kernel.config.tile_m) *
                            ceil_div(problem.n, kernel.config.tile_n) * problem.batch_count;
  return ctas <= entry.max_waves * machine.accelerator.num_sms * kernel.ctas_per_sm;
}

const LibraryConfig& library_named(const MachineConfig& machine, const std::string& name) {
  const auto found = std::find_if(machine.libraries.begin(), machine.libraries.end(),
                                  [&](const LibraryConfig& one) { return one.name == name; });
  if (found != machine.libraries.end()) return *found;
  if (machine.libraries.empty()) {
    throw ConfigError(
        fmt::format("{} has no library '{}'; it has none at all", machine.name, name));
  }
  throw ConfigError(fmt::format("{} has no library '{}', must be one of {}", machine.name, name,
                                fmt::join(machine.library_names(), ", ")));
}

}  // namespace stcsim
