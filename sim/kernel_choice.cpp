#include "sim/kernel_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/kernel_estimate.hpp"
#include "sim/stream_kernel.hpp"

namespace stcsim {
namespace {

double estimate_with_reduction(const MachineConfig& machine, const GemmProblem& problem,
                               const KernelLaunch& launch) {
  double cycles = estimate_cycles(machine, launch);
  if (launch.splits > 1) {
    cycles += estimate_cycles(machine, reduction_launch(machine, problem, launch.splits));
  }
  return cycles;
}

KernelCandidate best_split(const MachineConfig& machine, const FittedKernel& kernel,
                           const GemmProblem& problem) {
  KernelCandidate best;
  const std::int64_t most = most_splits(kernel, problem);
  std::vector<std::int64_t> splits = machine.split_k;
  std::erase_if(splits, [&](std::int64_t split_k) { return split_k > most; });
  if (splits.empty()) splits = {1};
  for (const std::int64_t split_k : splits) {
    const KernelLaunch launch = gemm_launch(machine, kernel, problem, split_k);
    const double cycles = estimate_with_reduction(machine, problem, launch);
    if (best.estimated_cycles == 0 || cycles < best.estimated_cycles)
      best = {kernel, launch, cycles};
  }
  return best;
}

std::vector<KernelCandidate> automatic(const MachineConfig& machine, const GemmProblem& problem,
                                       Pattern hardware) {
  std::vector<KernelCandidate> candidates;
  std::string why_not;
  for (const KernelConfig& config : machine.kernels) {
    const auto kernel = fit_kernel(machine, config, problem.dtype, hardware, why_not);
    if (kernel) candidates.push_back(best_split(machine, *kernel, problem));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const KernelCandidate& a, const KernelCandidate& b) {
                     return a.estimated_cycles < b.estimated_cycles;
                   });
  return candidates;
}

KernelCandidate named(const MachineConfig& machine, const GemmProblem& problem, Pattern hardware,
                      const std::string& name) {
  const auto config = std::find_if(machine.kernels.begin(), machine.kernels.end(),
                                   [&](const KernelConfig& kernel) { return kernel.name == name; });
  if (config == machine.kernels.end()) {
    throw ConfigError(
        fmt::format("{} has no kernel '{}'; its kernels are listed by "
                    "'stcsim list kernels --arch {}'",
                    machine.name, name, machine.name));
  }
  std::string why_not;
  const auto kernel = fit_kernel(machine, *config, problem.dtype, hardware, why_not);
  if (!kernel) throw ConfigError(fmt::format("kernel '{}' cannot be used: {}", name, why_not));
  return best_split(machine, *kernel, problem);
}

}  // namespace

std::vector<KernelCandidate> kernel_candidates(const MachineConfig& machine,
                                               const GemmProblem& problem, Pattern hardware,
                                               const KernelPolicy& policy) {
  if (policy.kernel != "auto") return {named(machine, problem, hardware, policy.kernel)};
  std::vector<KernelCandidate> candidates = automatic(machine, problem, hardware);
  if (candidates.empty()) {
    throw ConfigError(fmt::format("none of the kernels of {} can run {} {}", machine.name,
                                  to_string(problem.dtype), hardware.to_string()));
  }
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(policy.candidates, 1));
  if (candidates.size() > most) candidates.resize(most);
  return candidates;
}

}  // namespace stcsim
