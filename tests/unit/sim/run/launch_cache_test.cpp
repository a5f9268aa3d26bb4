#include "sim/run/launch_cache.hpp"

#include <cstdint>
#include <memory>
#include <systemc>

#include <gtest/gtest.h>

#include "models/bounds/critical_path.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/machine_runner.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

LaunchStatistics blank() {
  LaunchStatistics statistics;
  statistics.units = {{"mill", 0, {{"busy", Cycles()}, {"idle", Cycles()}}, {{"grain", "g", 0}}},
                      {"oven", 0, {}, {{"bread", "loaf", 0}}}};
  return statistics;
}

LaunchStatistics filled() {
  LaunchStatistics statistics = blank();
  statistics.cycles = Cycles(5);
  statistics.events = LaunchCache::kFewEvents;
  UnitTotals& mill = statistics.units[0];
  mill.instances = 2;
  mill.buckets[0].second = Cycles(7);
  mill.buckets[1].second = Cycles(3);
  mill.counters[0].value = std::int64_t{1} << 60;
  statistics.units[1].instances = 1;
  statistics.units[1].counters[0].value = -1;
  return statistics;
}

TEST(LaunchCache, FindsAllThatWasKept) {
  LaunchCache memory;
  LaunchStatistics sampled = filled();
  sampled.sampled = {4, 6, 10, 20};
  memory.keep("whole", filled());
  memory.keep("sampled", sampled);
  EXPECT_EQ(memory.find("whole", blank()), filled());
  EXPECT_EQ(memory.find("sampled", blank()), sampled);
  EXPECT_EQ(memory.find("whole", sampled), filled());
  EXPECT_EQ(memory.find("none", blank()), std::nullopt);
}

TEST(LaunchCache, KeepsNothingThatIsSimulatedAsFastAsFound) {
  LaunchCache memory;
  LaunchStatistics few = filled();
  --few.events;
  memory.keep("few", few);
  EXPECT_EQ(memory.find("few", blank()), std::nullopt);
}

TEST(LaunchCache, SaysSoIfAMachineTellsSomethingElse) {
  LaunchCache memory;
  memory.keep("a", filled());
  LaunchStatistics more = blank();
  more.units[1].counters.push_back({"crumbs", "g", 0});
  EXPECT_THROW((void)memory.find("a", more), SimulationError);
  LaunchStatistics fewer = blank();
  fewer.units.pop_back();
  EXPECT_THROW((void)memory.find("a", fewer), SimulationError);
}

KernelLaunch launch_of(const MachineRunner& runner, std::int64_t k) {
  const GemmProblem problem = test::make_problem(512, 8, k);
  return gemm_candidates(runner.machine(), problem, {"dense", 1}).front().launch;
}

/// What a runner does to answer: SystemC's time stands still if nothing.
template <class Run>
bool simulates(const Run& run) {
  const sc_core::sc_time before = sc_core::sc_time_stamp();
  run();
  return sc_core::sc_time_stamp() > before;
}

TEST(LaunchCache, RunnersSimulateALaunchOnceIfTheyAreToRememberThem) {
  MachineConfig larger = test::tiny_machine();
  larger.accelerator.sm.registers *= 2;
  MachineRunner forgetful(test::tiny_machine());
  MachineRunner runner(test::tiny_machine());
  MachineRunner on_larger(larger);
  const auto memory = std::make_shared<LaunchCache>();
  runner.remember_launches(memory);
  on_larger.remember_launches(memory);
  const KernelLaunch launch = launch_of(runner, 256);
  LaunchStatistics first;
  LaunchStatistics again;
  (void)forgetful.run(launch);
  EXPECT_TRUE(simulates([&] { again = forgetful.run(launch); }));
  EXPECT_TRUE(simulates([&] { first = runner.run(launch); }));
  EXPECT_EQ(first, again);
  ASSERT_GE(first.events, LaunchCache::kFewEvents);
  for (MachineRunner* const one : {&runner, &on_larger}) {
    EXPECT_FALSE(simulates([&] { again = one->run(launch); }));
    EXPECT_EQ(first, again);
  }
  EXPECT_TRUE(simulates([&] { again = runner.run(launch_of(runner, 272)); }));
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

TEST(LaunchCache, OneThatTakesLongerThanItMayIsNoneAtAll) {
  MachineRunner runner(test::tiny_machine());
  runner.remember_launches(std::make_shared<LaunchCache>());
  const KernelLaunch launch = launch_of(runner, 256);
  const LaunchStatistics known = runner.run(launch);
  ASSERT_GE(known.events, LaunchCache::kFewEvents);
  ASSERT_LT(least_cycles(runner.machine().accelerator, launch), known.cycles - kOneCycle);
  EXPECT_FALSE(simulates([&] {
    EXPECT_FALSE(runner.run_within(launch, known.cycles - kOneCycle));
    EXPECT_EQ(runner.run_within(launch, known.cycles), known);
  }));
}

}  // namespace
}  // namespace stcsim
