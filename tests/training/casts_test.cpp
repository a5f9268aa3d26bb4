#include "training/casts.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include "tests/training/support.hpp"
#include "training/gemm_layer.hpp"

namespace stcsim::training {
namespace {

at::Tensor numbers(std::vector<float> values) {
  return at::tensor(values);
}

/// With 448 as the largest nothing is scaled. Three bits behind the point: 17 and 19 lie between
/// 16, 18 and 20 and go to the even one; subnormal numbers are multiples of 2^-9.
TEST(Cast, Fp8OfThreeBitsIsToNearestEven) {
  const at::Tensor cast_numbers =
      cast(numbers({448, 17, 19, 21.5, -17, 0.0011F, 0.0009F, 1}), DataType::fp8_e4m3);
  EXPECT_TRUE(cast_numbers.equal(numbers({448, 16, 20, 22, -16, 0.001953125F, 0, 1})))
      << cast_numbers;
}

/// Two bits behind the point: 9 lies between 8 and 10.
TEST(Cast, Fp8OfTwoBitsHasALargerRange) {
  const at::Tensor cast_numbers = cast(numbers({57344, 9, 11, 1e-4F}), DataType::fp8_e5m2);
  EXPECT_TRUE(cast_numbers.equal(numbers({57344, 8, 12, 0.0001068115234375F}))) << cast_numbers;
}

/// The largest magnitude becomes the type's largest: 127 of 1.27 and 254.
TEST(Cast, ScalesByTheLargestMagnitude) {
  const at::Tensor eighths = cast(numbers({-254, 1, 3, 5, 0}), DataType::int8);
  EXPECT_TRUE(eighths.equal(numbers({-254, 0, 4, 4, 0}))) << eighths;
  const at::Tensor scaled = cast(numbers({896, 34}), DataType::fp8_e4m3);
  EXPECT_TRUE(scaled.equal(numbers({896, 32}))) << scaled;
}

TEST(Cast, LeavesOtherTypesAndZerosAlone) {
  EXPECT_TRUE(cast(numbers({0.1F, 3}), DataType::fp16).equal(numbers({0.1F, 3})));
  EXPECT_TRUE(cast(numbers({0, 0}), DataType::int8).equal(numbers({0, 0})));
}

/// S-STE as published: e4m3 forward, e5m2 of the dense gradient and the pruned weights backward.
TEST(CastProducts, AreOfWhatEachPhaseNames) {
  const Scheme scheme = load_scheme("s-ste");
  const Layer layer = linear_layer(16, 8, 4);
  GemmLayer gemm(layer, scheme, timeline_of(scheme), 1, random_weight(layer).requires_grad_(true));
  gemm.cast_products(scheme);
  gemm.prepare(0);
  const at::Tensor x = random_input(layer, 2).requires_grad_(true);
  const at::Tensor y = gemm.forward(x);
  const auto by = [](const at::Tensor& tensor, DataType type) {
    return cast(tensor.detach(), type);
  };
  EXPECT_TRUE(y.detach().equal(forward_product(layer, by(x, DataType::fp8_e4m3),
                                               by(gemm.forward_weight(), DataType::fp8_e4m3))));
  EXPECT_FALSE(y.detach().equal(forward_product(layer, x.detach(), gemm.forward_weight())));
  const at::Tensor dy = at::randn(y.sizes());
  y.backward(dy);
  EXPECT_TRUE(x.grad().equal(dgrad_product(
      layer, by(dy, DataType::fp8_e5m2), by(gemm.dgrad_weight(), DataType::fp8_e5m2), x.detach())));
}

/// Of 100 steps of STEP the first half is dense, in fp32 like all that is.
TEST(CastProducts, AreNoneInDenseSteps) {
  Scheme scheme = load_scheme("step");
  scheme.phases[0].dtype = DataType::int8;
  const Layer layer = linear_layer(16, 8, 4);
  GemmLayer gemm(layer, scheme, timeline_of(scheme), 1, random_weight(layer).requires_grad_(true));
  gemm.cast_products(scheme);
  const at::Tensor x = random_input(layer, 2);
  for (const std::int64_t step : {0, 99}) {
    gemm.prepare(step);
    const at::Tensor exact = forward_product(layer, x, gemm.forward_weight());
    EXPECT_EQ(gemm.forward(x).detach().equal(exact), step == 0);
  }
}

}  // namespace
}  // namespace stcsim::training
