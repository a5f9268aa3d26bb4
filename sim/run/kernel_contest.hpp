#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/gemm.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/kernel/library.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/run/machine_runner.hpp"

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

/// What a launch of a candidate comes to, with those that prepare its operands and the one that
/// adds up partial sums after it.
[[nodiscard]] LaunchResult finish_candidate(MachineRunner& runner, const GemmProblem& problem,
                                            const KernelCandidate& candidate,
                                            const LaunchStatistics& statistics);

struct BestRun {
  GemmRun run;
  KernelCandidate candidate;
  double clock_mhz;            // at which it is compared
  double simulated_mhz = 0.0;  // at which its launch was simulated
};

/// `other` takes the place of `best` if it is faster.
void take_faster(BestRun& best, BestRun other);

/// A GEMM and the kernels that it may run with on a machine, one of which is the fastest, at
/// whatever clock the machine runs.
class KernelContest {
 public:
  /// Everything must outlive it.
  /// @param steady  each kernel counts at the clock that the board sustains with it; nullptr: at
  ///                the one at which it is simulated
  KernelContest(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy,
                const LaunchConditions& conditions, const SteadyState* steady = nullptr);

  /// Places among the candidates, in the order in which they are compared: the sooner a fast one
  /// is found, the less is simulated of the others.
  using Order = std::vector<std::size_t>;
  [[nodiscard]] Order all() const;
  /// An order for each stack that is searched for itself (KernelRanking::of_stacks).
  [[nodiscard]] std::vector<Order> stacks() const;
  [[nodiscard]] const KernelCandidate& candidate(std::size_t at) const {
    return kernels_.ranking.candidates[at];
  }
  [[nodiscard]] LaunchResult simulate(const KernelCandidate& candidate);
  /// At the highest clock: what takes longer there is slower than `to_beat` at any.
  [[nodiscard]] Cycles most_cycles(const BestRun& to_beat) const;
  /// The first of the order; nothing if all of them certainly take longer than that.
  [[nodiscard]] std::optional<LaunchResult> simulate_first(const Order& order, Cycles most);
  /// @param first_result  what simulate() has found of the first of the order at this clock
  /// @param most  others that take longer lose
  [[nodiscard]] BestRun fastest(const Order& order, LaunchResult first_result,
                                std::optional<Cycles> most = {});
  [[nodiscard]] BestRun fastest();
  /// Says of the fastest of all why it runs as it does, and what the search may have missed.
  void conclude(BestRun& best) const;

 private:
  void put_best_ranked_first(Order& order) const;
  void mark(const KernelCandidate& one);
  [[nodiscard]] bool is_known(const Order& order, std::size_t place) const;
  [[nodiscard]] double clock_of(const LaunchResult& launch) const;
  [[nodiscard]] std::int64_t at_full_clock(std::int64_t cycles, double clock_mhz) const;
  [[nodiscard]] KernelSearch examine(const BestRun& best) const;

  MachineRunner& runner_;
  Pattern asked_;
  GemmProblem problem_;  // as kernels run it
  const KernelPolicy& policy_;
  bool same_operands_;
  const SteadyState* steady_;
  SparsitySupport support_;
  GemmKernels kernels_;
  std::vector<KernelLaunch> simulated_;  // launches, at least in part
  bool is_most_saving_measured_ = false;
};

/// The fastest that `problem` runs with, launched over and over: run_gemm_sustained() says how.
/// Leaves the machine at the clock at which its launch was simulated.
[[nodiscard]] BestRun run_sustained(MachineRunner& runner, const GemmProblem& problem,
                                    const KernelPolicy& policy, const LaunchConditions& conditions);

}  // namespace stcsim
