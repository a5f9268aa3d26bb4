#include "sim/config/network_config.hpp"

#include <string>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

Network parse(const std::string& text) {
  const YamlDocument document = parse_yaml(text, "net.yaml");
  MapReader map(document);
  return read_network(map);
}

/// A network of one layer, written on line 4.
Network parse_layer(const std::string& layer) {
  return parse("name: mine\nbatch: 2\nlayers:\n  - " + layer + "\n");
}

std::string error_of(const std::string& layer) {
  try {
    parse_layer(layer);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(NetworkConfig, Defaults) {
  const Network network =
      parse_layer("{name: a, type: conv, in_channels: 4, out_channels: 8, input: 16}");
  EXPECT_EQ(network.name, "mine");
  EXPECT_EQ(network.description, "");
  EXPECT_EQ(network.batch, 2);
  EXPECT_EQ(network.optimizer, Optimizer::sgd_momentum);
  EXPECT_EQ(network.other_parameters, 0);
  Layer expected;
  expected.name = "a";
  expected.in_channels = 4;
  expected.out_channels = 8;
  expected.height = 16;
  expected.width = 16;
  EXPECT_EQ(network.layers, std::vector{expected});
}

TEST(NetworkConfig, EveryKeyOfAConvolution) {
  const Layer layer =
      parse_layer(
          "{name: a, type: conv, role: stem, in_channels: 4, out_channels: 8, input: [16, 20], "
          "kernel: [3, 5], stride: 2, pad: 1, groups: 4, repeat: 3, bias: true, dgrad: false, "
          "weight_pattern: \"2:4\", after: [bias, relu, max_pool]}")
          .layers.at(0);
  EXPECT_EQ(layer.kind, LayerKind::conv);
  EXPECT_EQ(layer.role, LayerRole::stem);
  EXPECT_EQ(layer.height, 16);
  EXPECT_EQ(layer.width, 20);
  EXPECT_EQ(layer.kernel_height, 3);
  EXPECT_EQ(layer.kernel_width, 5);
  EXPECT_EQ(layer.stride, 2);
  EXPECT_EQ(layer.pad, 1);
  EXPECT_EQ(layer.groups, 4);
  EXPECT_EQ(layer.repeat, 3);
  EXPECT_TRUE(layer.bias);
  EXPECT_FALSE(layer.needs_dgrad);
  EXPECT_EQ(layer.weight_pattern, (Pattern{2, 4}));
  EXPECT_EQ(layer.after, (std::vector{StreamOp::bias, StreamOp::relu, StreamOp::max_pool}));
}

TEST(NetworkConfig, LinearAndBmm) {
  const Layer linear =
      parse_layer("{name: a, type: linear, in_features: 4, out_features: 8, tokens: 6, tied: true}")
          .layers.at(0);
  EXPECT_EQ(linear.kind, LayerKind::linear);
  EXPECT_EQ(linear.in_channels, 4);
  EXPECT_EQ(linear.out_channels, 8);
  EXPECT_EQ(linear.out_height(), 6);
  EXPECT_TRUE(linear.tied);
  const Layer bmm =
      parse_layer("{name: a, type: bmm, role: attention, m: 2, n: 3, k: 4, count: 5}").layers.at(0);
  EXPECT_EQ(bmm.kind, LayerKind::bmm);
  EXPECT_EQ(bmm.role, LayerRole::attention);
  EXPECT_EQ(bmm.forward_macs(), 2 * 3 * 4 * 5);
}

TEST(NetworkConfig, Embedding) {
  const Layer layer =
      parse_layer("{name: a, type: embedding, vocabulary: 9, features: 8, tokens: 6, tied: true}")
          .layers.at(0);
  EXPECT_EQ(layer.kind, LayerKind::embedding);
  EXPECT_EQ(layer.in_channels, 9);
  EXPECT_EQ(layer.out_channels, 8);
  EXPECT_EQ(layer.out_height(), 6);
  EXPECT_TRUE(layer.tied);
  EXPECT_FALSE(layer.needs_dgrad);
  const std::string dgrad =
      error_of("{name: a, type: embedding, vocabulary: 9, features: 8, dgrad: true}");
  EXPECT_NE(dgrad.find("unknown key 'dgrad'"), std::string::npos) << dgrad;
}

TEST(NetworkConfig, ImpossibleLayersAreErrorsAtTheirPlace) {
  EXPECT_EQ(error_of("{name: a, type: conv, in_channels: 4, out_channels: 8, input: 5, kernel: 7}"),
            "net.yaml:4:5: error: layer 'a': kernel 7x7 is larger than the input 5x5 with pad 0");
  EXPECT_EQ(error_of("{name: a, type: conv, in_channels: 4, out_channels: 9, input: 5, groups: 4}"),
            "net.yaml:4:5: error: layer 'a': groups 4 must divide the 4 input and 9 output "
            "channels");
  EXPECT_EQ(error_of("{name: a, type: linear, in_features: 900000000000000, out_features: 8000}"),
            "net.yaml:4:5: error: layer 'a': the layer has more than 2^53 multiply-accumulates in "
            "a training step");
}

TEST(NetworkConfig, ValuesOutOfRangeAreRefusedWhereTheyStand) {
  const std::string start = "{name: a, type: conv, in_channels: 4, out_channels: 8, input: 5, ";
  for (const char* bad : {"stride: 0", "repeat: 0", "groups: -1", "pad: -1", "kernel: 0",
                          "kernel: [1, 2, 3]", "stride: 1.5", "dgrad: maybe"}) {
    const std::string error = error_of(start + bad + "}");
    const std::string place =
        "net.yaml:4:" + std::to_string(5 + start.size() + std::string(bad).find(": ") + 2);
    EXPECT_TRUE(error.starts_with(place)) << bad << ": " << error;
  }
}

TEST(NetworkConfig, KeysOfAnotherTypeOfLayerAreUnknown) {
  const std::string error =
      error_of("{name: a, type: linear, in_features: 4, out_features: 8, kernel: 3}");
  EXPECT_NE(error.find("unknown key 'kernel'"), std::string::npos) << error;
  const std::string bmm = error_of("{name: a, type: bmm, m: 1, n: 2, k: 3, bias: true}");
  EXPECT_NE(bmm.find("unknown key 'bias'"), std::string::npos) << bmm;
}

TEST(NetworkConfig, LayerNamesAreUnique) {
  const std::string layer = "  - {name: a, type: linear, in_features: 1, out_features: 1}\n";
  try {
    parse("name: mine\nbatch: 1\nlayers:\n" + layer + layer);
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "net.yaml:5:12: error: layer 'a' is there twice; use 'repeat' for identical "
                 "layers");
  }
}

TEST(NetworkConfig, ANetworkNeedsLayers) {
  EXPECT_THROW(parse("name: mine\nbatch: 1\nlayers: []\n"), ConfigError);
  EXPECT_THROW(parse("name: mine\nbatch: 1\n"), ConfigError);
}

}  // namespace
}  // namespace stcsim
