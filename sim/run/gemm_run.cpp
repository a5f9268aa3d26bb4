#include "sim/run/gemm_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/kernel/instruction_choice.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/functional_setup.hpp"
#include "sim/run/launch_result.hpp"

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

/// Multiply-accumulates the tensor cores did, padding included.
std::int64_t multiplier_macs(const FittedKernel& kernel, std::int64_t instructions) {
  const MmaInstruction& one = kernel.instruction;
  return instructions * (one.m * one.n * one.k * one.pattern.n / one.pattern.m);
}

std::int64_t peak_macs_per_clk(const MachineConfig& machine, DataType dtype) {
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  for (const MultiplierRate& rate : sm.tensor_core.multipliers) {
    if (rate.dtype == dtype) return rate.fma_per_clk * sm.sub_cores * machine.accelerator.num_sms;
  }
  return 0;
}

LaunchResult finish_candidate(MachineRunner& runner, const GemmProblem& problem,
                              const KernelCandidate& candidate,
                              const LaunchStatistics& statistics) {
  LaunchResult result = to_result(statistics);
  result.kernel = kernel_report(runner.machine(), candidate.kernel, candidate.launch);
  if (candidate.launch.splits > 1) {
    append_launch(result,
                  runner.run(reduction_launch(runner.machine(), problem, candidate.launch.splits)));
  }
  result.multiplier_macs = multiplier_macs(candidate.kernel, statistics.instructions());
  result.peak_macs = result.cycles * peak_macs_per_clk(runner.machine(), problem.dtype);
  return result;
}

/// What keeps a sparse run from the pattern's full gain, as far as the tiling is to blame.
std::string padding_note(const GemmProblem& problem, const KernelCandidate& candidate) {
  const std::int64_t padded = candidate.launch.k_steps * candidate.launch.tile_k;
  if (candidate.kernel.hardware.is_dense() || padded < problem.k * 5 / 4) return "";
  return fmt::format("k = {} is padded to {} by the kernel's k-step of {}", problem.k, padded,
                     candidate.launch.tile_k);
}

struct BestRun {
  GemmRun run;
  KernelCandidate candidate;
};

/// What a GEMM may run as, the pattern that saves most first.
std::vector<Pattern> allowed_hardware(const MachineConfig& machine, const SparsitySupport& support,
                                      const KernelPolicy& policy) {
  std::vector<Pattern> hardware = support.patterns;
  if (hardware.empty() || may_run_dense(machine, policy)) hardware.push_back(kDense);
  return hardware;
}

BestRun run_best(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy) {
  require_runnable(runner.machine(), problem);
  const SparsitySupport support =
      sparsity_support(runner.machine(), problem.dtype, problem.a_pattern);
  const auto candidates = gemm_candidates(runner.machine(), problem, policy);
  BestRun best;
  bool is_most_saving_measured = false;
  for (const KernelCandidate& candidate : candidates) {
    const Pattern hardware = candidate.kernel.hardware;
    is_most_saving_measured = is_most_saving_measured || hardware == support.hardware();
    const bool is_first = best.run.result.cycles == 0;
    const auto statistics =
        is_first ? runner.run(candidate.launch)
                 : runner.run_within(candidate.launch, Cycles(best.run.result.cycles));
    if (!statistics) continue;
    LaunchResult result = finish_candidate(runner, problem, candidate, *statistics);
    if (is_first || result.cycles < best.run.result.cycles) {
      best = {{std::move(result), hardware, ""}, candidate};
    }
  }
  std::string& reason = best.run.reason;
  reason =
      reason_for(support, problem.a_pattern, best.run.hardware_pattern, is_most_saving_measured);
  const std::string note = padding_note(problem, best.candidate);
  if (!note.empty()) reason += (reason.empty() ? "" : "; ") + note;
  return best;
}

}  // namespace

std::vector<KernelCandidate> gemm_candidates(const MachineConfig& machine,
                                             const GemmProblem& problem,
                                             const KernelPolicy& policy) {
  const SparsitySupport support = sparsity_support(machine, problem.dtype, problem.a_pattern);
  return kernel_candidates(machine, problem, allowed_hardware(machine, support, policy), policy);
}

void require_runnable(const MachineConfig& machine, const GemmProblem& problem) {
  require_supported(machine, problem);
  require_memory(machine, problem);
}

GemmRun run_gemm(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy) {
  return run_best(runner, problem, policy).run;
}

FunctionalRun run_gemm_with_values(MachineRunner& runner, const GemmProblem& problem,
                                   const KernelPolicy& policy, const FunctionalOptions& options) {
  const BestRun best = run_best(runner, problem, policy);
  FunctionalSetup setup(runner.machine(), problem, best.candidate.kernel, best.candidate.launch,
                        options);
  LaunchResult with_values = finish_candidate(runner, problem, best.candidate,
                                              runner.run(best.candidate.launch, &setup.datapath()));
  with_values.events = best.run.result.events;  // fast-forward skips nothing if values travel
  if (with_values != best.run.result) {
    throw SimulationError("carrying values has changed the timing");
  }
  return {best.run, setup.check()};
}

LaunchResult run_stream(MachineRunner& runner, const StreamWork& work) {
  const KernelLaunch launch = stream_launch(runner.machine(), work);
  LaunchResult result = to_result(runner.run(launch));
  result.kernel.name = "stream";
  result.kernel.ctas = launch.ctas();
  result.kernel.ctas_per_sm = launch.ctas_per_sm;
  result.kernel.warps = launch.warps;
  result.mma_instructions = 0;
  return result;
}

double peak_tflops(const MachineConfig& machine, DataType dtype, Pattern hardware) {
  constexpr double kFlopPerMac = 2.0;
  const double macs = static_cast<double>(peak_macs_per_clk(machine, dtype) * hardware.m) /
                      static_cast<double>(hardware.n);
  return macs * kFlopPerMac * machine.clock_mhz * 1e6 / 1e12;
}

}  // namespace stcsim
