#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "common/gemm.hpp"
#include "sim/kernel/kernel_policy.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/run/machine_runner.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

/// The board's steady state: a launch and the clock at which the board affords it. Its cycles
/// depend on the clock, for DRAM has its own, but little.
class SteadyState {
 public:
  SteadyState(MachineRunner& runner, DataType dtype, const LaunchConditions& conditions)
      : runner_(runner), dtype_(dtype), conditions_(conditions) {}

  [[nodiscard]] double clock_for(const LaunchResult& launch) const {
    return sustained_clock_mhz(runner_.machine_as_built(), dtype_, launch, conditions_);
  }
  /// `launch` ran at a clock near the steady one: as it is at that.
  void settle(LaunchResult& launch) const {
    launch.clock_mhz = clock_for(launch);
    find_watts(launch);
  }
  void find_watts(LaunchResult& launch) const {
    launch.board_watts = board_watts(runner_.machine_as_built(), dtype_, launch, launch.clock_mhz,
                                     conditions_.values);
  }
  [[nodiscard]] bool is_near(double clock_mhz) const {
    const double step = runner_.machine_as_built().power.clock_step_mhz;
    return std::abs(clock_mhz - runner_.machine().clock_mhz) <= step;
  }

 private:
  MachineRunner& runner_;
  DataType dtype_;
  LaunchConditions conditions_;
};

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
  Pattern asked_;
  GemmProblem problem_;  // as kernels run it
  const KernelPolicy& policy_;
  bool same_operands_;
  const SteadyState* steady_;
  SparsitySupport support_;
  GemmKernels kernels_;
};

}  // namespace stcsim
