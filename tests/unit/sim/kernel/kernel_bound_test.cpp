#include <gtest/gtest.h>

#include "models/accelerator/accelerator.hpp"
#include "models/bounds/critical_path.hpp"
#include "models/cta_scheduler/cta_scheduler.hpp"
#include "sim/run/machine_runner.hpp"
#include "tests/support/gemm_on.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// One warp and one instruction of 8 cycles per k-step, 4 k-steps. Through the port of 128 bytes
/// per clk go 768 bytes in and 768 out per k-step, 12 cycles in all, and 128 elements of 8 bytes
/// at the end.
TEST(KernelBound, TheSlowerOfMultipliersAndPortCounts) {
  MachineConfig machine = test::tiny_machine();
  const KernelLaunch launch = test::gemm_on(machine, test::make_problem(16, 8, 64));
  EXPECT_EQ(least_cta_cycles(machine.accelerator, launch), Cycles(4 * 12 + 8));
  machine.accelerator.sm.shared_memory.banks = 64;
  machine.accelerator.sm.shared_memory.fill_bytes_per_clk = 256;
  EXPECT_EQ(least_cta_cycles(machine.accelerator, launch), Cycles(4 * 8));
}

TEST(KernelBound, FillsMayBeNarrowerThanThePort) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.shared_memory.fill_bytes_per_clk = 32;
  const KernelLaunch launch = test::gemm_on(machine, test::make_problem(16, 8, 64));
  EXPECT_EQ(least_cta_cycles(machine.accelerator, launch), Cycles(4 * (24 + 6) + 8));
}

/// 768 bytes come in at 32 a clk, beside as many that are read. Output has to get through the port.
TEST(KernelBound, FillsMayHaveAPortOfTheirOwn) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.shared_memory.banks = 8;
  machine.accelerator.sm.shared_memory.fill_bytes_per_clk = 32;
  const KernelLaunch launch = test::gemm_on(machine, test::make_problem(16, 8, 64));
  EXPECT_EQ(least_cta_cycles(machine.accelerator, launch), Cycles(4 * (24 + 24) + 32));
  machine.accelerator.sm.shared_memory.has_fill_port = true;
  EXPECT_EQ(least_cta_cycles(machine.accelerator, launch), Cycles(4 * 24 + 32));
  machine.accelerator.sm.shared_memory.banks = 32;  // other CTAs fill meanwhile
  EXPECT_EQ(least_cta_cycles(machine.accelerator, launch), Cycles(4 * 24));
}

/// The same CTA of one warp on an SM of two sub-cores: two of them may multiply side by side.
TEST(KernelBound, CtasShareTheSubCoresOfAnSm) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.sub_cores = 2;
  machine.accelerator.sm.shared_memory.banks = 256;
  machine.accelerator.sm.shared_memory.fill_bytes_per_clk = 1024;
  const KernelLaunch launch = test::gemm_on(machine, test::make_problem(16, 8, 64));
  EXPECT_EQ(least_cta_cycles(machine.accelerator, launch), Cycles(4 * 8 / 2));
}

/// Ten CTAs on two SMs of one slot each. Then with two slots: four start together, six are left,
/// which an SM takes on two at a time; one SM does so twice.
TEST(KernelBound, AnSmTakesOnAsManyCtasAsItHasSlots) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.num_sms = 2;
  KernelLaunch launch = test::gemm_on(machine, test::make_problem(160, 8, 64));
  ASSERT_EQ(launch.ctas(), 10);
  launch.ctas_per_sm = 1;
  EXPECT_EQ(CtaScheduler::most_ctas_of_an_sm(launch, 2), 5);
  launch.ctas_per_sm = 2;
  EXPECT_EQ(CtaScheduler::most_ctas_of_an_sm(launch, 2), 2 + 2 * 2);
  launch.ctas_per_sm = 3;  // four of ten are left: three at a time, and one
  EXPECT_EQ(CtaScheduler::most_ctas_of_an_sm(launch, 2), 3 + 3);
  launch.ctas_per_sm = 5;
  EXPECT_EQ(CtaScheduler::most_ctas_of_an_sm(launch, 2), 5);
}

/// One CTA on a machine by itself: whatever it has to wait for counts, once.
TEST(KernelBound, EveryWaitOfACtaAloneCounts) {
  MachineConfig machine = test::tiny_machine();
  const KernelLaunch launch = test::gemm_on(machine, test::make_problem(16, 8, 64));
  AcceleratorConfig& hardware = machine.accelerator;
  const auto least = [&] { return least_cycles(hardware, launch).count(); };
  std::int64_t expected = least();
  for (std::int64_t* const wait :
       {&hardware.cta_scheduler.launch_cycles, &hardware.cta_scheduler.cta_setup_cycles,
        &hardware.dram.latency_cycles, &hardware.sm.epilogue.setup_cycles}) {
    *wait += 1000;
    expected += 1000;
    EXPECT_EQ(least(), expected);
  }
}

/// Operands that the launch before has left in the L2 cache do not come from DRAM.
TEST(KernelBound, WhatStartsInL2DoesNotWaitForDram) {
  const MachineConfig machine = test::tiny_machine();
  KernelLaunch launch = test::gemm_on(machine, test::make_problem(16, 8, 64));
  const Cycles cold = least_cycles(machine.accelerator, launch);
  launch.a.starts_in_l2 = launch.b.starts_in_l2 = true;
  EXPECT_LE(
      least_cycles(machine.accelerator, launch) + Cycles(machine.accelerator.dram.latency_cycles),
      cold);
}

/// Seven k-steps in three parts: the shortest has two.
TEST(KernelBound, TheShortestPartOfASplitCounts) {
  const MachineConfig machine = test::tiny_machine();
  const KernelLaunch whole = test::gemm_on(machine, test::make_problem(16, 8, 32));
  const KernelLaunch split = test::gemm_on(machine, test::make_problem(16, 8, 112), 3);
  EXPECT_EQ(least_cta_cycles(machine.accelerator, split),
            least_cta_cycles(machine.accelerator, whole));
}

TEST(KernelBound, ALaunchThatTakesLongerAnywayIsNotBegun) {
  const MachineConfig machine = test::tiny_machine();
  const KernelLaunch launch = test::gemm_on(machine, test::make_problem(80, 8, 64));
  MachineRunner runner(machine);
  const Cycles least = least_cycles(machine.accelerator, launch);
  EXPECT_FALSE(runner.run_within(launch, least - kOneCycle).has_value());
  EXPECT_EQ(runner.simulated(), 0);
  EXPECT_FALSE(runner.run_within(launch, least).has_value());
  EXPECT_EQ(runner.simulated(), 1);
}

/// A launch of 40 CTAs on one SM is given up long before its limit if its CTAs are said to take as
/// long as that; not because of those that have been given out already.
TEST(KernelBound, WhatTheCtasStillToComeTakeEndsALaunch) {
  const MachineConfig machine = test::tiny_machine();
  const KernelLaunch launch = test::gemm_on(machine, test::make_problem(16 * 40, 8, 64));
  Accelerator accelerator(machine.accelerator);
  const auto all = accelerator.run(launch, {nullptr, true, std::nullopt, Cycles()});
  const Cycles limit = all->cycles;
  EXPECT_TRUE(accelerator.run(launch, {nullptr, true, limit, Cycles(1)}).has_value());
  EXPECT_FALSE(accelerator.run(launch, {nullptr, true, limit, limit}).has_value());
  const KernelLaunch small = test::gemm_on(machine, test::make_problem(16, 8, 64));
  EXPECT_TRUE(accelerator.run(small, {nullptr, true, limit, limit}).has_value());
}

}  // namespace
}  // namespace stcsim
