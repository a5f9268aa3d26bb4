#pragma once

#include <cstdint>
#include <vector>

#include "common/gemm.hpp"
#include "sim/kernel/kernel_policy.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/machine_runner.hpp"
#include "sim/run/steady_state.hpp"

namespace stcsim {

/// What a launch of a candidate comes to, with the launch that adds up partial sums after it.
[[nodiscard]] LaunchResult finish_candidate(MachineRunner& runner, const GemmProblem& problem,
                                            const KernelCandidate& candidate,
                                            const LaunchStatistics& statistics);

struct BestRun {
  GemmRun run;
  KernelCandidate candidate;
  double clock_mhz;  // at which it is compared
};

/// A GEMM and the kernels that it may run with on a machine, one of which is the fastest, at
/// whatever clock the machine runs.
class KernelContest {
 public:
  /// Everything must outlive it.
  /// @param steady  each kernel counts at the clock that the board sustains with it; nullptr: at
  ///                the one at which it is simulated
  KernelContest(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy,
                const LaunchConditions& conditions, const SteadyState* steady = nullptr);

  [[nodiscard]] const KernelCandidate& first() const { return kernels_.ranking.candidates.front(); }
  [[nodiscard]] LaunchResult simulate(const KernelCandidate& candidate);
  /// @param first_result  what simulate(first()) has found at this clock
  [[nodiscard]] BestRun fastest(LaunchResult first_result);
  [[nodiscard]] BestRun fastest() { return fastest(simulate(first())); }

 private:
  [[nodiscard]] double clock_of(const LaunchResult& launch) const;
  [[nodiscard]] std::int64_t at_full_clock(std::int64_t cycles, double clock_mhz) const;
  [[nodiscard]] KernelSearch examine(const BestRun& best,
                                     const std::vector<KernelLaunch>& simulated) const;

  MachineRunner& runner_;
  const GemmProblem& problem_;
  const KernelPolicy& policy_;
  bool same_operands_;
  const SteadyState* steady_;
  SparsitySupport support_;
  GemmKernels kernels_;
};

}  // namespace stcsim
