#include <gtest/gtest.h>

#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/own_process.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// Of so many tiles one after the other on the only SM.
std::int64_t cycles_of(std::int64_t tiles, bool persistent) {
  return std::stoll(test::in_own_process([&] {
    MachineConfig machine = test::tiny_machine();
    machine.accelerator.sm.max_ctas = 1;
    machine.kernels.front().persistent = persistent;
    MachineRunner runner(machine);
    KernelPolicy policy;
    policy.kernel = "dense";
    const GemmProblem problem = test::make_problem(16, 8 * tiles, 64);
    return std::to_string(run_gemm(runner, problem, policy).result.cycles);
  }));
}

TEST(Persistent, OneTileTakesAsLong) {
  EXPECT_EQ(cycles_of(1, true), cycles_of(1, false));
}

TEST(Persistent, EveryTileAfterTheFirstIsSetUpAndFilledMeanwhile) {
  const std::int64_t apart = cycles_of(9, false) - cycles_of(8, false);
  const std::int64_t persistent = cycles_of(9, true) - cycles_of(8, true);
  EXPECT_EQ(apart, 924);
  EXPECT_EQ(persistent, 698)
      << "without the set-up (10), the way to the L2 cache and back (40, 130, "
         "40) and the messages between (6)";
}

}  // namespace
}  // namespace stcsim
