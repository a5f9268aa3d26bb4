#include "sim/run/known_launches.hpp"

#include <cstdint>
#include <systemc>

#include <gtest/gtest.h>

#include "sim/kernel/kernel_bound.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/machine_runner.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

KernelLaunch launch_of(const MachineRunner& runner, std::int64_t k) {
  const GemmProblem problem = test::make_problem(16, 8, k);
  return gemm_candidates(runner.machine(), problem, {"dense", 1}).front().launch;
}

LaunchStatistics taking(std::int64_t cycles) {
  LaunchStatistics statistics;
  statistics.cycles = Cycles(cycles);
  return statistics;
}

TEST(KnownLaunches, FindsALaunchUnderTheConditionsItWasKeptUnder) {
  KnownLaunches known(4);
  KernelLaunch launch;
  const RunConditions conditions{1000, 2.5, true, SamplingEffort()};
  known.keep(conditions, launch, taking(7));
  ASSERT_NE(known.find(conditions, launch), nullptr);
  EXPECT_EQ(known.find(conditions, launch)->cycles, Cycles(7));
  for (const RunConditions& other :
       {RunConditions{1001, 2.5, true, SamplingEffort()},
        RunConditions{1000, 2.25, true, SamplingEffort()},
        RunConditions{1000, 2.5, false, SamplingEffort()}, RunConditions{1000, 2.5, true, {}}}) {
    EXPECT_EQ(known.find(other, launch), nullptr);
  }
  launch.epilogue.source_wait = Cycles(1);
  EXPECT_EQ(known.find(conditions, launch), nullptr);
}

TEST(KnownLaunches, ForgetsTheOneThatWasKeptFirst) {
  KnownLaunches known(2);
  for (std::int64_t k = 1; k <= 3; ++k) {
    KernelLaunch launch;
    launch.k = k;
    known.keep({}, launch, taking(k));
  }
  KernelLaunch launch;
  for (std::int64_t k = 1; k <= 3; ++k) {
    launch.k = k;
    const LaunchStatistics* const found = known.find({}, launch);
    ASSERT_EQ(found != nullptr, k > 1) << k;
    if (k > 1) {
      EXPECT_EQ(found->cycles, Cycles(k));
    }
  }
}

/// What a runner does to answer: SystemC's time stands still if nothing.
template <class Run>
bool simulates(const Run& run) {
  const sc_core::sc_time before = sc_core::sc_time_stamp();
  run();
  return sc_core::sc_time_stamp() > before;
}

TEST(KnownLaunches, ARunnerSimulatesALaunchOnceIfItIsToRememberThem) {
  MachineRunner forgetful(test::tiny_machine());
  MachineRunner runner(test::tiny_machine());
  const KernelLaunch launch = launch_of(runner, 64);
  LaunchStatistics first;
  LaunchStatistics again;
  (void)forgetful.run(launch);
  EXPECT_TRUE(simulates([&] { again = forgetful.run(launch); }));
  runner.remember_launches();
  EXPECT_TRUE(simulates([&] { first = runner.run(launch); }));
  EXPECT_EQ(first, again);
  EXPECT_FALSE(simulates([&] { again = runner.run(launch); }));
  EXPECT_EQ(first, again);
  EXPECT_TRUE(simulates([&] { again = runner.run(launch_of(runner, 72)); }));
  EXPECT_NE(first, again);
  runner.set_clock(runner.machine().clock_mhz / 2);
  EXPECT_TRUE(simulates([&] { again = runner.run(launch); }));
  EXPECT_NE(first, again);
  runner.set_clock(runner.machine_as_built().clock_mhz);
  EXPECT_FALSE(simulates([&] { again = runner.run(launch); }));
  EXPECT_EQ(first, again);
  runner.set_fast_forward(false);
  EXPECT_TRUE(simulates([&] { again = runner.run(launch); }));
}

TEST(KnownLaunches, OneThatTakesLongerThanItMayIsNoneAtAll) {
  MachineRunner runner(test::tiny_machine());
  runner.remember_launches();
  const KernelLaunch launch = launch_of(runner, 64);
  const LaunchStatistics known = runner.run(launch);
  ASSERT_LT(least_cycles(runner.machine().accelerator, launch), known.cycles - kOneCycle);
  EXPECT_FALSE(simulates([&] {
    EXPECT_FALSE(runner.run_within(launch, known.cycles - kOneCycle));
    EXPECT_EQ(runner.run_within(launch, known.cycles), known);
  }));
}

}  // namespace
}  // namespace stcsim
