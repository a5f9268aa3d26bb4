#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "models/accelerator/accelerator.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;

KernelLaunch launch() {
  const GemmProblem problem = test::make_problem(32, 8, 32);
  return kernel_candidates(test::tiny_machine(), problem, {kDense}, {"dense", 1}).front().launch;
}

/// What the machine says about a launch that cannot end.
std::string complaint(Accelerator& machine, const KernelLaunch& kernel) {
  try {
    (void)machine.run(kernel, {});
  } catch (const SimulationError& error) {
    return error.what();
  }
  return "none";
}

TEST(Deadlock, WithoutSlotsNoCtaIsDispatched) {
  Accelerator machine(test::tiny_machine().accelerator);
  KernelLaunch kernel = launch();
  kernel.ctas_per_sm = 0;
  const std::string text = complaint(machine, kernel);
  EXPECT_THAT(text, HasSubstr("deadlocked"));
  EXPECT_THAT(text, HasSubstr("CTA scheduler: 0 of 2 CTAs done, 0 dispatched"));
}

/// A warp without fragment buffers never asks for its operands: everything behind it waits.
TEST(Deadlock, EveryWaitingUnitIsNamed) {
  Accelerator machine(test::tiny_machine().accelerator);
  KernelLaunch kernel = launch();
  kernel.k_steps = 3;
  kernel.warp.fragment_buffers = 0;
  const std::string text = complaint(machine, kernel);
  EXPECT_THAT(text, HasSubstr("CTA scheduler: 0 of 2 CTAs done"));
  EXPECT_THAT(text, HasSubstr("SM 0 waits for 1 warps"));
  EXPECT_THAT(text, HasSubstr("copy engine of SM 0 waits for a free stage"));
  EXPECT_THAT(text, HasSubstr("sub-core 0 of SM 0: warp 0 of CTA slot 0 waits for the fragments"));
}

/// It is one as well if nothing is known beyond the limit.
TEST(Deadlock, IsReportedBelowALimit) {
  Accelerator machine(test::tiny_machine().accelerator);
  KernelLaunch stuck = launch();
  stuck.warp.fragment_buffers = 0;
  EXPECT_THROW((void)machine.run(stuck, {nullptr, false, Cycles(1000000)}), SimulationError);
}

TEST(Deadlock, TheMachineRunsAgainAfterwards) {
  Accelerator machine(test::tiny_machine().accelerator);
  const LaunchStatistics before = machine.run(launch(), {}).value();
  KernelLaunch stuck = launch();
  stuck.warp.fragment_buffers = 0;
  EXPECT_NE(complaint(machine, stuck), "none");
  EXPECT_EQ(machine.run(launch(), {}), before);
}

}  // namespace
}  // namespace stcsim
