#include "sim/run/gemm_run.hpp"

#include <utility>

#include "common/error.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/functional_setup.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/kernel_contest.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/run/steady_state.hpp"

namespace stcsim {
namespace {

/// Runs a machine at other clocks and leaves it at the one it was built for.
class OtherClock {
 public:
  explicit OtherClock(MachineRunner& runner) : runner_(runner) {}
  OtherClock(const OtherClock&) = delete;
  OtherClock& operator=(const OtherClock&) = delete;
  ~OtherClock() { runner_.set_clock(runner_.machine_as_built().clock_mhz); }

 private:
  MachineRunner& runner_;
};

BestRun run_sustained(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy,
                      const LaunchConditions& conditions) {
  const auto set_clock = [&](double mhz) { runner.set_clock(mhz, conditions.launch_us); };
  set_clock(conditions.locked_clock_mhz.value_or(runner.machine_as_built().clock_mhz));
  const SteadyState steady(runner, problem.dtype, conditions);
  KernelContest contest(runner, problem, policy, conditions,
                        conditions.locked_clock_mhz ? nullptr : &steady);
  if (conditions.locked_clock_mhz) {
    BestRun best = contest.fastest();
    steady.find_watts(best.run.result);
    return best;
  }
  LaunchResult first = contest.simulate(contest.first());
  const double clock = steady.clock_for(first);
  if (!steady.is_near(clock)) {
    set_clock(clock);
    first = contest.simulate(contest.first());
  }
  BestRun best = contest.fastest(std::move(first));
  constexpr int kMostTries = 3;
  for (int tries = 0; tries < kMostTries; ++tries) {
    const double its_clock = steady.clock_for(best.run.result);
    if (steady.is_near(its_clock)) break;
    set_clock(its_clock);
    best.run.result = contest.simulate(best.candidate);
  }
  steady.settle(best.run.result);
  return best;
}

}  // namespace

GemmRun run_gemm(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy) {
  return KernelContest(runner, problem, policy, at_own_clock(runner.machine())).fastest().run;
}

GemmRun run_gemm_sustained(MachineRunner& runner, const GemmProblem& problem,
                           const KernelPolicy& policy, const LaunchConditions& conditions) {
  const OtherClock back(runner);
  return run_sustained(runner, problem, policy, conditions).run;
}

FunctionalRun run_gemm_with_values(MachineRunner& runner, const GemmProblem& problem,
                                   const KernelPolicy& policy, const LaunchConditions& conditions,
                                   const FunctionalOptions& options) {
  const OtherClock back(runner);
  const BestRun best = run_sustained(runner, problem, policy, conditions);
  FunctionalSetup setup(runner.machine(), problem, best.candidate.kernel, best.candidate.launch,
                        options);
  LaunchResult with_values = finish_candidate(runner, problem, best.candidate,
                                              runner.run(best.candidate.launch, &setup.datapath()));
  with_values.events = best.run.result.events;  // fast-forward skips nothing if values travel
  with_values.clock_mhz = best.run.result.clock_mhz;
  with_values.board_watts = best.run.result.board_watts;
  if (with_values != best.run.result) {
    throw SimulationError("carrying values has changed the timing");
  }
  return {best.run, setup.check()};
}

LaunchResult run_stream(MachineRunner& runner, const StreamWork& work) {
  const KernelLaunch launch = stream_launch(runner.machine(), work);
  LaunchResult result = to_result(runner.run(launch));
  result.clock_mhz = runner.machine().clock_mhz;
  result.kernel.name = "stream";
  result.kernel.ctas = launch.ctas();
  result.kernel.ctas_per_sm = launch.ctas_per_sm;
  result.kernel.warps = launch.warps;
  result.mma_instructions = 0;
  return result;
}

}  // namespace stcsim
