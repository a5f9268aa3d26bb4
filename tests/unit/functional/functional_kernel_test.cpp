#include "models/functional/functional_kernel.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "models/functional/functional_datapath.hpp"
#include "sim/functional/operands.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

FunctionalKernel valid_kernel() {
  FunctionalKernel kernel;
  kernel.problem = test::make_problem(16, 16, 64, 1, DataType::fp16, {2, 4});
  kernel.pattern = {2, 4};
  kernel.tile_m = kernel.tile_n = 16;
  kernel.tile_k = 64;
  kernel.instruction_k = 32;
  return kernel;
}

std::string error_after(const std::function<void(FunctionalKernel&)>& change) {
  FunctionalKernel kernel = valid_kernel();
  change(kernel);
  try {
    validate(kernel);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(FunctionalKernel, CountsFollowFromTheTile) {
  FunctionalKernel kernel = valid_kernel();
  kernel.warps_m = 2;
  kernel.warps_k = 2;
  kernel.problem.m = 17;
  EXPECT_EQ(kernel.warps(), 4);
  EXPECT_EQ(kernel.groups_per_step(), 1);
  EXPECT_EQ(kernel.warp_rows(), 8);
  EXPECT_EQ(kernel.stored_values(64), 32);
  EXPECT_EQ(kernel.metadata_words(64), 2);
  EXPECT_EQ(kernel.metadata_words(4), 1);
  EXPECT_EQ(kernel.tiles_m(), 2);
  EXPECT_EQ(kernel.steps({0, 0, 0, 0, 0, 65}), 2);
  EXPECT_EQ(kernel.steps({0, 0, 0, 0, 64, 64}), 0);
}

TEST(FunctionalKernel, RefusesWhatDoesNotDivide) {
  EXPECT_EQ(error_after([](FunctionalKernel&) {}), "no error");
  EXPECT_EQ(error_after([](FunctionalKernel& k) { k.warps_m = 3; }),
            "error: functional kernel: tile_m is 16, must be a multiple of warps_m (3)");
  EXPECT_EQ(error_after([](FunctionalKernel& k) { k.warps_n = 5; }),
            "error: functional kernel: tile_n is 16, must be a multiple of warps_n (5)");
  EXPECT_EQ(error_after([](FunctionalKernel& k) { k.warps_k = 3; }),
            "error: functional kernel: tile_k is 64, must be a multiple of instruction_k * "
            "warps_k (96)");
  EXPECT_EQ(error_after([](FunctionalKernel& k) { k.tile_k = k.instruction_k = 6; }),
            "error: functional kernel: instruction_k is 6, must be a multiple of the pattern's m "
            "(4)");
  EXPECT_EQ(error_after([](FunctionalKernel& k) { k.stages = 0; }),
            "error: functional kernel: stages is 0, must be at least 1");
}

TEST(FunctionalKernel, RefusesOperandsTheHardwareCannotHold) {
  EXPECT_EQ(error_after([](FunctionalKernel& k) {
              k.problem.a_pattern = {4, 8};
            }),
            "error: functional kernel: A is 4:8, which does not fit 2:4 hardware");
  EXPECT_EQ(error_after([](FunctionalKernel& k) { k.problem.a_pattern = kDense; }),
            "error: functional kernel: A is dense, which does not fit 2:4 hardware");
  EXPECT_EQ(error_after([](FunctionalKernel& k) { k.problem.dtype = DataType::int32; }),
            "error: functional kernel: int32 is not a type of tensor-core operands");
}

TEST(FunctionalKernel, RefusesOperandsOfAnotherProblem) {
  const FunctionalKernel kernel = valid_kernel();
  GemmProblem other = kernel.problem;
  other.k = 60;
  EXPECT_THROW((void)make_operands(kernel, make_a_tensor(other), make_b_tensor(kernel.problem)),
               ConfigError);
  EXPECT_THROW((void)make_operands(kernel, make_a_tensor(kernel.problem), make_b_tensor(other)),
               ConfigError);
  other = kernel.problem;
  other.b_layout = OperandLayout::mn_major;
  EXPECT_THROW((void)make_operands(kernel, make_a_tensor(other), make_b_tensor(other)),
               ConfigError);
}

TEST(FunctionalKernel, RefusesOperandsCompressedForOtherHardware) {
  FunctionalKernel other = valid_kernel();
  other.pattern = {4, 8};
  const FunctionalOperands operands = to_machine(other, random_operands(other.problem, 1));
  EXPECT_THROW(FunctionalDatapath(valid_kernel(), operands), ConfigError);
}

}  // namespace
}  // namespace stcsim
