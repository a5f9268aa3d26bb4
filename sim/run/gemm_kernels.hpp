#pragma once

#include <vector>

#include "common/gemm.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/kernel_policy.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

/// Throws ConfigError if the machine does not multiply the problem's type, or if A, B and C do not
/// fit into its DRAM.
void require_runnable(const MachineConfig& machine, const GemmProblem& problem);

/// As if somebody had locked the clock that it has.
[[nodiscard]] LaunchConditions at_own_clock(const MachineConfig& machine);

/// What `problem` may run with.
struct GemmKernels {
  /// As one of the native patterns that its own fits inside, or dense if there is none or the
  /// policy allows it; the pattern that saves most first.
  std::vector<Pattern> hardware;
  KernelRanking ranking;
};
/// @param machine  at the clock at which the first of them will be simulated
[[nodiscard]] GemmKernels gemm_kernels(const MachineConfig& machine, const GemmProblem& problem,
                                       const KernelPolicy& policy,
                                       const LaunchConditions& conditions);

/// Those that are simulated at the machine's clock, the best-ranked first (kernel_choice.hpp).
[[nodiscard]] std::vector<KernelCandidate> gemm_candidates(const MachineConfig& machine,
                                                           const GemmProblem& problem,
                                                           const KernelPolicy& policy);

}  // namespace stcsim
