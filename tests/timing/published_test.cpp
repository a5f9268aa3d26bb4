#include <array>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "models/sub_core/sub_core.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/cost/cost_table.hpp"
#include "sim/cost/launch_cost.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

/// Dense-equivalent TFLOP/s of the whole machine while its instructions follow each other.
double tflops_of(const std::string& name, DataType dtype, Pattern pattern = kDense) {
  const MachineConfig machine = load_machine(name).config;
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  const MmaInstruction one = *instruction_for(sm, dtype, pattern);
  const auto macs =
      static_cast<double>(one.m * one.n * one.k * sm.sub_cores * machine.accelerator.num_sms);
  const auto interval = static_cast<double>(timing_of(sm, one).pace.interval.count());
  return 2.0 * macs / interval * machine.clock_mhz / 1e6;
}

void expect_peak(double tflops, double published) {
  constexpr double kRounding = 0.01;
  EXPECT_NEAR(tflops / published, 1.0, kRounding);
}

/// NVIDIA's data sheets and white papers, at the clocks of the machine files.
TEST(PublishedPeaks, OfNvidiasNewMachines) {
  expect_peak(tflops_of("h200", DataType::bf16), 989.4 * 1755 / 1830);
  expect_peak(tflops_of("l40s", DataType::bf16), 362.05);
  expect_peak(tflops_of("l40s", DataType::fp8_e4m3), 733.0 * 2490 / 2520);  // at another clock
  expect_peak(tflops_of("l40s", DataType::bf16, {2, 4}), 2 * 362.05);
  expect_peak(tflops_of("rtx5080", DataType::fp16), 112.6);
  expect_peak(tflops_of("rtx5080", DataType::fp16, {2, 4}), 225.1);
  expect_peak(tflops_of("rtx5080", DataType::nvfp4), 900.4);
  expect_peak(tflops_of("rtx5090", DataType::fp16), 209.5);
  expect_peak(tflops_of("rtx5090", DataType::nvfp4), 1676);
  expect_peak(tflops_of("rtx5090", DataType::nvfp4, {4, 8, 2}), 3352);
  // 2250 and 4500 of the data sheet are of a lower clock.
  expect_peak(tflops_of("b200", DataType::bf16), 148 * 8192 * 1965e6 / 1e12);
  expect_peak(tflops_of("b200", DataType::fp8_e4m3), 148 * 16384 * 1965e6 / 1e12);
  expect_peak(tflops_of("b200", DataType::nvfp4), 148 * 32722 * 1965e6 / 1e12);  // measured
  expect_peak(tflops_of("b200", DataType::nvfp4, {4, 8, 2}), 2 * 148 * 32722 * 1965e6 / 1e12);
  expect_peak(tflops_of("rubin", DataType::fp8_e4m3), 17500);
  expect_peak(tflops_of("rubin", DataType::nvfp4), 35000);
  expect_peak(tflops_of("rubin", DataType::nvfp4, {2, 4}), 2 * 35000);  // 50000 published
}

/// Data sheets, and instruction sets: v_smfmac takes v_mfma's cycles, 32 or 16, for twice the k.
TEST(PublishedPeaks, OfMfmaAndSmfmac) {
  expect_peak(tflops_of("mi300x", DataType::fp16), 1307.4);
  expect_peak(tflops_of("mi300x_cpx", DataType::fp8_e4m3), 2614.9 / 8);
  expect_peak(tflops_of("mi355x", DataType::bf16, {2, 4}), 2 * 2516.6);
  for (const char* const name : {"mi300x", "mi355x"}) {
    const StreamingMultiprocessorConfig sm = load_machine(name).config.accelerator.sm;
    std::map<std::pair<DataType, std::int64_t>, std::int64_t> dense;  // k, by type and m
    for (const MmaInstruction& one : sm.tensor_core.instructions) {
      const std::int64_t k = dense.try_emplace({one.dtype, one.m}, one.k).first->second;
      EXPECT_EQ(one.k, one.pattern == kDense ? k : 2 * k) << name;
      EXPECT_EQ(timing_of(sm, one).pace.interval, Cycles(one.m)) << name;
    }
  }
}

/// Eight cores of 79 TFLOP/s, 158 in fp8, and 316 sparse in either (AWS Neuron documentation).
TEST(PublishedPeaks, OfTrainium2) {
  constexpr double kCores = 8;
  expect_peak(tflops_of("trainium2_nm", DataType::bf16), kCores * 79);
  expect_peak(tflops_of("trainium2_nm", DataType::fp8_e4m3), kCores * 158);
  for (const Pattern pattern : {Pattern{4, 16}, Pattern{2, 8}, Pattern{1, 4}}) {
    expect_peak(tflops_of("trainium2_nm", DataType::fp16, pattern), kCores * 316);
  }
  expect_peak(tflops_of("trainium2_nm", DataType::bf16, {4, 12}), kCores * 3 * 79);
  for (const Pattern pattern : {Pattern{4, 8}, Pattern{2, 4}, Pattern{1, 2}}) {
    expect_peak(tflops_of("trainium2_nm", DataType::bf16, pattern), kCores * 158);
    expect_peak(tflops_of("trainium2_nm", DataType::fp8_e5m2, pattern), kCores * 316);
  }
}

/// 671 TFLOP/s, 2517 sparse and of MXFP8, of which an instruction's cycles are rounded up.
TEST(PublishedPeaks, OfTrainium3) {
  expect_peak(tflops_of("trainium3_nm", DataType::bf16), 671);
  expect_peak(tflops_of("trainium3_nm", DataType::fp16, {4, 16}), 2517);
  expect_peak(tflops_of("trainium3_nm", DataType::fp8_e4m3), 2517.0 * 273.07 / 274);
}

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
