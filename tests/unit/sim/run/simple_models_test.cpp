#include "sim/run/simple_models.hpp"

#include <gtest/gtest.h>

#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

GemmProblem problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return problem;
}

/// 256 multiply-accumulates per clk at 1000 MHz: 128 x 128 x 512 take 32,768 cycles.
TEST(PlainModels, MultiplyAtPeakRate) {
  const MachineConfig machine = test::tiny_machine();
  EXPECT_DOUBLE_EQ(roofline_us(problem(128, 128, 512), machine), 32.768);
  EXPECT_DOUBLE_EQ(tile_model_us(problem(128, 128, 512), machine), 32.768);
  GemmProblem sparse = problem(128, 128, 512);
  sparse.a_pattern = {2, 4};
  EXPECT_DOUBLE_EQ(roofline_us(sparse, machine), 16.384);
  EXPECT_DOUBLE_EQ(tile_model_us(sparse, machine), 16.384);
}

/// One row more is one tile more, and a wave of one SM more; three SMs take four tiles in two.
TEST(PlainModels, TilesAndWavesAreWhole) {
  MachineConfig machine = test::tiny_machine();
  EXPECT_DOUBLE_EQ(roofline_us(problem(129, 128, 512), machine), 33.024);
  EXPECT_DOUBLE_EQ(tile_model_us(problem(129, 128, 512), machine), 65.536);
  GemmProblem batch = problem(128, 128, 512);
  batch.batch_count = 4;
  machine.accelerator.num_sms = 3;
  EXPECT_DOUBLE_EQ(tile_model_us(batch, machine), 65.536);
}

/// 64 bytes per clk: A and B of 16 x 64 take 2,048 bytes each, C 512, half of A is not there if it
/// is 2:4. A tile costs 4,096 cycles however little of it is there.
TEST(PlainModels, EveryByteIsMovedOnce) {
  const MachineConfig machine = test::tiny_machine();
  GemmProblem small = problem(16, 16, 64);
  EXPECT_DOUBLE_EQ(roofline_us(small, machine), 0.072);
  EXPECT_DOUBLE_EQ(tile_model_us(small, machine), 4.096);
  small.a_pattern = {2, 4};
  EXPECT_DOUBLE_EQ(roofline_us(small, machine), 0.056);
  EXPECT_DOUBLE_EQ(tile_model_us(problem(128, 128, 1), machine), 0.52);
}

}  // namespace
}  // namespace stcsim
