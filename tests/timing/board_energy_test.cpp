#include <array>
#include <string>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/cost/cost_table.hpp"
#include "sim/cost/launch_cost.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

struct LargeGemm {
  const char* machine;
  GemmProblem problem;
};

/// From the data sheet's watts and the energies of a file that knows nothing of them.
TEST(BoardEnergy, OfLargeDenseGemmsIsBoardPowerTimesTime) {
  constexpr double kClose = 0.15;
  const std::array<LargeGemm, 6> gemms{{
      {"a100", test::make_problem(8192, 8192, 8192)},
      {"a100", test::make_problem(16384, 4096, 8192)},
      {"a100", test::make_problem(4096, 16384, 16384)},
      {"a100", test::make_problem(12288, 12288, 4096)},
      {"a100", test::make_problem(8192, 8192, 8192, 1, DataType::bf16)},
      {"a100_pcie", test::make_problem(8192, 8192, 8192)},
  }};
  const CostTable table = load_costs("ga100_7nm");
  const MachineConfig sxm = load_machine("a100").config;
  const MachineConfig pcie = load_machine("a100_pcie").config;
  MachineRunner on_sxm(sxm);
  MachineRunner on_pcie(pcie);
  for (const LargeGemm& gemm : gemms) {
    const bool is_sxm = std::string(gemm.machine) == "a100";
    const MachineConfig& machine = is_sxm ? sxm : pcie;
    MachineRunner& runner = is_sxm ? on_sxm : on_pcie;
    const LaunchResult launch = run_gemm_sustained(runner, gemm.problem, {}).result;
    const LaunchCost cost = cost_of(machine, gemm.problem.dtype, launch, table);
    const double board_joules = machine.power.limit_watts * cost.seconds;
    EXPECT_NEAR(cost.joules / board_joules, 1.0, kClose) << gemm.problem.m;
    EXPECT_NEAR(cost.joules, launch.board_watts * cost.seconds, 1e-9);
    RecordProperty(std::to_string(gemm.problem.m), std::to_string(cost.joules / board_joules));
  }
}

}  // namespace
}  // namespace stcsim
