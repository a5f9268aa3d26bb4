#include "sim/run/gemm_kernels.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "models/base/memory_traffic.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/launch_result.hpp"

namespace stcsim {
namespace {

/// Of the logarithms of cycles and time. Where the board's limit decides, a kernel's time is its
/// energy by that limit, and its cycles, which the estimates may have wrong by a tenth and on small
/// machines by far more, would count nothing.
constexpr double kWeightOfCycles = 0.2;

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

std::int64_t peak_macs_per_clk(const MachineConfig& machine, DataType dtype) {
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  for (const MultiplierRate& rate : sm.tensor_core.multipliers) {
    if (rate.dtype == dtype) return rate.fma_per_clk * sm.sub_cores * machine.accelerator.num_sms;
  }
  return 0;
}

double peak_tflops(const MachineConfig& machine, DataType dtype, Pattern hardware) {
  constexpr double kFlopPerMac = 2.0;
  const double macs = static_cast<double>(peak_macs_per_clk(machine, dtype) * hardware.m) /
                      static_cast<double>(hardware.n);
  return macs * kFlopPerMac * machine.clock_mhz * 1e6 / 1e12;
}

LaunchWork estimated_work(const MachineConfig& machine, const KernelLaunch& launch, double cycles) {
  const WarpProgram& warp = launch.warp;
  // K slices share the steps of a tile. Padding is multiplied, filled and staged like the rest.
  const std::int64_t steps = launch.tiles_m * launch.tiles_n * launch.batch_count * launch.k_steps;
  const std::int64_t groups = steps * launch.warps * warp.groups_per_step;
  const std::int64_t instructions = groups * warp.instructions_per_group;
  const std::int64_t stored = launch.stored_bytes();
  const std::int64_t outputs =
      launch.ctas() * launch.output_bytes() / launch.epilogue.element_bytes;
  const std::int64_t staged = outputs * launch.epilogue.staging_bytes_per_element;
  LaunchWork work;
  work.cycles = cycles;
  work.multiplier_macs = instructions * kept_macs(*warp.instruction);
  work.shared_memory_bytes =
      groups * warp.fragments.total() + staged +
      steps * (launch.warps * warp.turned_bytes + launch.shared_stage_bytes());
  work.l2_bytes = l2_read_bytes(launch) + stored;
  work.dram_bytes = least_dram_reads(launch) + stored;
  work.actions = actions_of(*warp.instruction, machine.accelerator.sm, instructions);
  return work;
}

double cycles_at_full_clock(const MachineConfig& machine, DataType dtype, const LaunchWork& work,
                            const LaunchConditions& conditions) {
  const double slowdown = machine.clock_mhz / sustained_clock_mhz(machine, dtype, work, conditions);
  return work.cycles * std::pow(slowdown, 1 - kWeightOfCycles);
}

EstimatedTime estimated_time(const MachineConfig& machine, DataType dtype,
                             const LaunchConditions& conditions) {
  if (machine.power.limit_watts <= 0 || conditions.locked_clock_mhz) return {};
  return [&machine, dtype, conditions](const KernelLaunch& launch, double cycles) {
    return cycles_at_full_clock(machine, dtype, estimated_work(machine, launch, cycles),
                                conditions);
  };
}

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
