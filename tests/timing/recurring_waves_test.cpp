#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/run/gemm_run.hpp"

namespace stcsim {
namespace {

/// Forward of a 3x3 convolution with 64 channels at 56x56, over `batch` samples. It is limited by
/// DRAM: within a CTA's 18 k-steps the state comes round only after four, but waves recur.
LaunchResult convolution(MachineRunner& runner, std::int64_t batch) {
  GemmProblem problem;
  problem.m = 64;
  problem.n = batch * 56 * 56;
  problem.k = 576;
  KernelPolicy policy;
  policy.kernel = "dense_64x256x32_s4";
  return run_gemm(runner, problem, policy).result;
}

TEST(RecurringWaves, MoreOfThemCostNothing) {
  MachineRunner runner(load_machine(STCSIM_SOURCE_DIR "/configs/arch/a100.yaml").config);
  const LaunchResult small = convolution(runner, 256);
  const LaunchResult large = convolution(runner, 4096);
  EXPECT_GT(large.cycles, small.cycles * 15);
  EXPECT_LT(large.events, small.events * 3 / 2);
}

}  // namespace
}  // namespace stcsim
