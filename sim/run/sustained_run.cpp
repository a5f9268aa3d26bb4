#include "sim/run/sustained_run.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sim/run/launch_result.hpp"

namespace stcsim {
namespace {

/// A GEMM that is launched over and over: its kernels, each at the clock that the board sustains.
class SustainedRun {
 public:
  SustainedRun(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy,
               const LaunchConditions& conditions)
      : runner_(runner),
        conditions_(conditions),
        steady_(runner, problem.dtype, conditions),
        full_mhz_(conditions.locked_clock_mhz.value_or(runner.machine_as_built().clock_mhz)),
        contest_(at_clock_of(full_mhz_), problem, policy, conditions,
                 conditions.locked_clock_mhz ? nullptr : &steady_) {}

  /// Leaves the machine at the clock at which the launch was simulated.
  BestRun fastest() {
    BestRun best = conditions_.locked_clock_mhz ? contest_.fastest() : fastest_of_stacks();
    set_clock(best.simulated_mhz);
    contest_.conclude(best);
    if (conditions_.locked_clock_mhz) steady_.find_watts(best.run.result);
    return best;
  }

 private:
  MachineRunner& at_clock_of(double mhz) {
    set_clock(mhz);
    return runner_;
  }
  void set_clock(double mhz) { runner_.set_clock(mhz, conditions_.launch_us); }

  LaunchResult simulate_first(const KernelContest::Order& stack) {
    return contest_.simulate(contest_.candidate(stack.front()));
  }

  BestRun fastest_of_stacks() {
    const std::vector<KernelContest::Order> stacks = contest_.stacks();
    BestRun best = fastest_of(stacks.front(), simulate_first(stacks.front()));
    for (std::size_t at = 1; at < stacks.size(); ++at) {
      set_clock(full_mhz_);
      const Cycles most = contest_.most_cycles(best);
      std::optional<LaunchResult> first = contest_.simulate_first(stacks[at], most);
      if (first) take_faster(best, fastest_of(stacks[at], std::move(*first), most));
    }
    return best;
  }

  /// @param result  of its first candidate, at the highest clock
  BestRun fastest_of(const KernelContest::Order& stack, LaunchResult result,
                     std::optional<Cycles> most = {}) {
    const double clock = steady_.clock_for(result);
    if (!steady_.is_near(clock)) {
      set_clock(clock);
      result = simulate_first(stack);
    }
    BestRun best = contest_.fastest(stack, std::move(result), most);
    constexpr int kMostTries = 3;
    for (int tries = 0; tries < kMostTries; ++tries) {
      const double its_clock = steady_.clock_for(best.run.result);
      if (steady_.is_near(its_clock)) break;
      set_clock(its_clock);
      best.run.result = contest_.simulate(best.candidate);
    }
    steady_.settle(best.run.result);
    best.clock_mhz = best.run.result.clock_mhz;
    best.simulated_mhz = runner_.machine().clock_mhz;
    return best;
  }

  MachineRunner& runner_;
  LaunchConditions conditions_;
  SteadyState steady_;
  double full_mhz_;
  KernelContest contest_;
};

}  // namespace

BestRun run_sustained(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy,
                      const LaunchConditions& conditions) {
  return SustainedRun(runner, problem, policy, conditions).fastest();
}

}  // namespace stcsim
