#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/unit/workloads/shipped_configs.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

struct Totals {
  std::int64_t forward_macs = 0;
  std::int64_t parameters = 0;
};

std::map<std::string, Totals> published_totals() {
  std::ifstream file(STCSIM_SOURCE_DIR "/tests/unit/workloads/published_totals.csv");
  std::map<std::string, Totals> totals;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.starts_with("network,")) continue;
    const std::size_t first = line.find(',');
    const std::size_t second = line.find(',', first + 1);
    totals[line.substr(0, first)] = {std::stoll(line.substr(first + 1, second - first - 1)),
                                     std::stoll(line.substr(second + 1))};
  }
  return totals;
}

TEST(ShippedNetworks, TotalsEqualThePublishedOnes) {
  const std::map<std::string, Totals> totals = published_totals();
  const std::vector<std::string> names = shipped_names("networks");
  ASSERT_EQ(names.size(), totals.size());
  for (const std::string& name : names) {
    ASSERT_TRUE(totals.contains(name)) << name;
    const Network network = load_network(name);
    EXPECT_EQ(network.name, name);
    EXPECT_NE(network.description, "") << name;
    EXPECT_EQ(network.forward_macs(), totals.at(name).forward_macs) << name;
    EXPECT_EQ(network.parameters(), totals.at(name).parameters) << name;
  }
}

std::int64_t phase_macs(const Layer& layer, Phase phase, std::int64_t batch) {
  std::int64_t macs = 0;
  for (const GemmProblem& problem : lower(layer, phase, batch)) macs += problem.macs();
  return macs;
}

/// Forward's MACs, but none for the first layer's dgrad, and 8x8 instead of 6x6 pixels for the
/// dgrad of resnet9's one unpadded convolution.
std::int64_t expected_macs(const Network& network, const Layer& layer, Phase phase) {
  const std::int64_t forward = network.batch * layer.forward_macs();
  if (phase != Phase::dgrad) return forward;
  if (!layer.needs_dgrad) return 0;
  if (network.name == "resnet9_cifar10" && layer.name == "conv4") return forward / 36 * 64;
  return forward;
}

TEST(ShippedNetworks, EveryPhaseHasForwardsMacs) {
  for (const std::string& name : shipped_names("networks")) {
    const Network network = load_network(name);
    for (const Layer& layer : network.layers) {
      for (const Phase phase : kPhases) {
        EXPECT_EQ(phase_macs(layer, phase, network.batch), expected_macs(network, layer, phase))
            << name << " " << layer.name << " " << to_string(phase);
      }
    }
  }
}

TEST(ShippedNetworks, OnlyTheFirstLayerOfAnImageNetworkHasNoDgrad) {
  for (const std::string& name : shipped_names("networks")) {
    const Network network = load_network(name);
    for (const Layer& layer : network.layers) {
      EXPECT_EQ(layer.needs_dgrad, layer.has_product() && layer.role != LayerRole::stem)
          << name << " " << layer.name;
    }
    const bool image = network.layers.front().kind == LayerKind::conv;
    EXPECT_EQ(network.layers.front().role == LayerRole::stem, image) << name;
  }
}

using Shape = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

/// M, N, K, batch count of the forward GEMM, and how often the layer is there.
Shape forward_shape(const Network& network, const std::string& layer_name) {
  const Layer& layer = layer_named(network, layer_name);
  const GemmProblem problem = lower(layer, Phase::forward, network.batch).at(0);
  return {problem.m, problem.n, problem.k, problem.batch_count, layer.repeat};
}

TEST(ShippedNetworks, ForwardShapesOfConvolutions) {
  const Network resnet50 = load_network("resnet50");
  EXPECT_EQ(forward_shape(resnet50, "conv1"), Shape(64, 3211264, 147, 1, 1));
  EXPECT_EQ(forward_shape(resnet50, "layer1.0.conv2"), Shape(64, 802816, 576, 1, 3));
  EXPECT_EQ(forward_shape(resnet50, "fc"), Shape(1000, 256, 2048, 1, 1));
  const Network regnet = load_network("regnetx_400mf");
  EXPECT_EQ(forward_shape(regnet, "s4.b1.b"), Shape(16, 12544, 144, 25, 11));
  const Network resnet9 = load_network("resnet9_cifar10");
  EXPECT_EQ(forward_shape(resnet9, "conv4"), Shape(256, 18432, 4608, 1, 1));
}

TEST(ShippedNetworks, ForwardShapesOfTransformers) {
  const Network bert = load_network("bert_large_s128");
  EXPECT_EQ(forward_shape(bert, "enc.attn_av"), Shape(64, 128, 128, 1024, 24));
  const Network gpt2 = load_network("gpt2_774m");
  EXPECT_EQ(forward_shape(gpt2, "blk.attn_qk"), Shape(1024, 1024, 64, 160, 36));
  EXPECT_EQ(forward_shape(gpt2, "lm_head"), Shape(50257, 8192, 1280, 1, 1));
  const Network deit = load_network("deit_small");
  EXPECT_EQ(forward_shape(deit, "patch_embed"), Shape(384, 50176, 768, 1, 1));
}

std::int64_t count_of(const Network& network, StreamOp op) {
  std::int64_t count = 0;
  for (const Layer& layer : network.layers) {
    count += layer.repeat * std::count(layer.after.begin(), layer.after.end(), op);
  }
  return count;
}

TEST(ShippedNetworks, ResNet50HasThePublishedNumberOfEachOperation) {
  const Network network = load_network("resnet50");
  EXPECT_EQ(count_of(network, StreamOp::batch_norm), 53);
  EXPECT_EQ(count_of(network, StreamOp::relu), 49);
  EXPECT_EQ(count_of(network, StreamOp::residual_add), 16);
  EXPECT_EQ(count_of(network, StreamOp::max_pool), 1);
  EXPECT_EQ(count_of(network, StreamOp::avg_pool), 1);
  EXPECT_EQ(count_of(network, StreamOp::softmax), 1);
}

TEST(ShippedNetworks, TransformersHaveTheirBlocksOperations) {
  const Network bert = load_network("bert_base_s128");
  EXPECT_EQ(count_of(bert, StreamOp::softmax), 12);
  EXPECT_EQ(count_of(bert, StreamOp::gelu), 12);
  EXPECT_EQ(count_of(bert, StreamOp::residual_add), 24);
  EXPECT_EQ(count_of(bert, StreamOp::layer_norm), 25);
  EXPECT_EQ(count_of(bert, StreamOp::dropout), 37);
  const Network transformer = load_network("transformer_base");
  EXPECT_EQ(count_of(transformer, StreamOp::residual_add), 30);
  EXPECT_EQ(count_of(transformer, StreamOp::relu), 12);
  EXPECT_EQ(count_of(transformer, StreamOp::softmax), 19);
}

TEST(ShippedNetworks, OtherParametersOfConvolutionalNetworksAreTheNormalisations) {
  for (const char* name : {"resnet9_cifar10", "resnet18", "resnet18_r160", "resnet18_r192",
                           "resnet50", "resnext101_32x16d", "regnetx_400mf"}) {
    const Network network = load_network(name);
    std::int64_t scales_and_shifts = 0;
    for (const Layer& layer : network.layers) {
      const auto norms = std::count(layer.after.begin(), layer.after.end(), StreamOp::batch_norm);
      scales_and_shifts += 2 * norms * layer.repeat * layer.out_channels;
    }
    EXPECT_EQ(network.other_parameters, scales_and_shifts) << name;
  }
}

TEST(ShippedNetworks, ABiasIsAddedWhereThereIsOne) {
  for (const std::string& name : shipped_names("networks")) {
    for (const Layer& layer : load_network(name).layers) {
      const bool added =
          std::find(layer.after.begin(), layer.after.end(), StreamOp::bias) != layer.after.end();
      EXPECT_EQ(added, layer.bias) << name << " " << layer.name;
    }
  }
}

}  // namespace
}  // namespace stcsim
