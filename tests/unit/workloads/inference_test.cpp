#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/unit/workloads/sample_layers.hpp"
#include "workloads/lowering.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

Network network_with(const std::vector<StreamOp>& after) {
  Network network;
  network.layers = {conv_layer(16, 32, 8, 3, 1, 1)};
  network.layers.front().after = after;
  return network;
}

std::vector<StreamOp> after_inference(const std::vector<StreamOp>& after) {
  return for_inference(network_with(after)).layers.front().after;
}

TEST(Inference, HasNoDropout) {
  EXPECT_EQ(after_inference({StreamOp::bias, StreamOp::dropout, StreamOp::residual_add,
                             StreamOp::layer_norm, StreamOp::dropout}),
            (std::vector<StreamOp>{StreamOp::bias, StreamOp::residual_add, StreamOp::layer_norm}));
}

/// Scale and shift are constants of the layer; its activation is then done with the bias.
TEST(Inference, FoldsBatchNormalisation) {
  const std::vector<StreamOp> folded = after_inference({StreamOp::batch_norm, StreamOp::relu});
  EXPECT_EQ(folded, (std::vector<StreamOp>{StreamOp::bias, StreamOp::relu}));
  for (const StreamKernel& kernel : stream_kernels(network_with(folded).layers.front(), 4,
                                                   DataType::fp16, load_framework("ideal"))) {
    EXPECT_TRUE(kernel.backward) << kernel.name;
  }
}

/// Weights are pruned before; activations have to be pruned in every pass.
TEST(Inference, SpendsNothingOnWeights) {
  Scheme scheme;
  scheme.name = "both";
  scheme.share_of_training = 0.25;
  scheme.work = {{.name = "mask search", .tensor = Tensor::weight, .reads = 1},
                 {.name = "prune input", .tensor = Tensor::activation, .reads = 1}};
  const Scheme after = for_inference(scheme);
  EXPECT_EQ(after.name, "both");
  EXPECT_EQ(after.share_of_training, 1.0);
  ASSERT_EQ(after.work.size(), 1U);
  EXPECT_EQ(after.work.front().name, "prune input");
}

TEST(Inference, LeavesTheLayersAsTheyAre) {
  Network network = network_with({});
  network.layers.push_back(linear_layer(64, 10, 1));
  EXPECT_EQ(for_inference(network).layers, network.layers);
}

}  // namespace
}  // namespace stcsim
