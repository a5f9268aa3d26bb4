#pragma once

#include "common/gemm.hpp"
#include "sim/kernel/kernel_policy.hpp"
#include "sim/run/kernel_contest.hpp"
#include "sim/run/machine_runner.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

/// The fastest that `problem` runs with, launched over and over: run_gemm_sustained() says how.
/// Leaves the machine at the clock at which its launch was simulated.
[[nodiscard]] BestRun run_sustained(MachineRunner& runner, const GemmProblem& problem,
                                    const KernelPolicy& policy, const LaunchConditions& conditions);

}  // namespace stcsim
