#include "sim/run/gemm_kernels.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/estimated_work.hpp"

namespace stcsim {
namespace {

void require_supported(const MachineConfig& machine, const GemmProblem& problem) {
  validate(problem, "GEMM");
  if (machine.supports(problem.dtype)) return;
  std::string known;
  for (const DataType type : operand_data_types()) {
    if (machine.supports(type)) known += (known.empty() ? "" : ", ") + std::string(to_string(type));
  }
  throw ConfigError(fmt::format("{} does not multiply {}; it has {}", machine.name,
                                to_string(problem.dtype), known));
}

/// Bytes of an operand as it lies in memory, uncompressed.
std::int64_t stored_bytes(std::int64_t extent, std::int64_t k, const Footprint& footprint,
                          DataType type) {
  const std::int64_t rows = footprint.unique_rows > 0 ? footprint.unique_rows : extent;
  return rows * bytes_of(type, footprint.unique_k > 0 ? footprint.unique_k : k);
}

void require_memory(const MachineConfig& machine, const GemmProblem& problem) {
  const std::int64_t bytes =
      problem.batch_count * (stored_bytes(problem.m, problem.k, problem.a, problem.dtype) +
                             stored_bytes(problem.n, problem.k, problem.b, problem.dtype) +
                             bytes_of(output_of(problem.dtype), problem.m * problem.n));
  const std::int64_t capacity = machine.accelerator.dram.capacity_bytes;
  if (bytes <= capacity) return;
  throw ConfigError(
      fmt::format("A, B and C take {} bytes, must be at most {}, the DRAM's "
                  "'capacity_bytes' of {}",
                  bytes, capacity, machine.name));
}

/// What a GEMM may run as, the pattern that saves most first.
std::vector<Pattern> allowed_hardware(const MachineConfig& machine, const SparsitySupport& support,
                                      const KernelPolicy& policy) {
  std::vector<Pattern> hardware = support.patterns;
  if (hardware.empty() || may_run_dense(machine, policy)) hardware.push_back(kDense);
  return hardware;
}

}  // namespace

LaunchConditions at_own_clock(const MachineConfig& machine) {
  LaunchConditions conditions;
  conditions.locked_clock_mhz = machine.clock_mhz;
  return conditions;
}

GemmKernels gemm_kernels(const MachineConfig& machine, const GemmProblem& problem,
                         const KernelPolicy& policy, const LaunchConditions& conditions) {
  const SparsitySupport support = sparsity_support(machine, problem, policy);
  std::vector<Pattern> hardware = allowed_hardware(machine, support, policy);
  KernelRanking ranking = rank_kernels(machine, problem, hardware, policy,
                                       estimated_time(machine, problem.dtype, conditions));
  for (auto* const ranked : {&ranking.candidates, &ranking.left_out}) {
    for (KernelCandidate& one : *ranked) {
      if (conditions.same_operands) find_operands_in_l2(machine, one.launch);
    }
  }
  return {std::move(hardware), std::move(ranking)};
}

std::vector<KernelCandidate> gemm_candidates(const MachineConfig& machine,
                                             const GemmProblem& problem,
                                             const KernelPolicy& policy) {
  return gemm_kernels(machine, problem, policy, at_own_clock(machine)).ranking.candidates;
}

void require_runnable(const MachineConfig& machine, const GemmProblem& problem) {
  require_supported(machine, problem);
  require_memory(machine, problem);
}

}  // namespace stcsim
