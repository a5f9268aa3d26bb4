#include <string>

#include <gtest/gtest.h>

#include "tests/unit/config/scratch_folder.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

Network parse(const std::string& text) {
  const YamlDocument document = parse_yaml(text, "net.yaml");
  MapReader map(document);
  return read_network(map);
}

std::string network_error(const std::string& text) {
  return error_of([&] { parse(text); });
}

/// A network of one layer, written on line 4.
std::string with_layer(const std::string& layer) {
  return "name: mine\nbatch: 2\nlayers:\n  - " + layer + "\n";
}

Network parse_layer(const std::string& layer) {
  return parse(with_layer(layer));
}

std::string layer_message(const std::string& layer) {
  return network_error(with_layer(layer));
}

TEST(NetworkConfig, ANameIsNoPath) {
  EXPECT_THROW(parse("name: a/b\nbatch: 2\nlayers: []\n"), ConfigError);
  EXPECT_EQ(network_error("name: ..\nbatch: 2\nlayers: []\n"),
            "net.yaml:1:7: error: 'name' is '..', must be the name of a file: no '/', not . or ..");
}

std::int64_t layers_of(const Network& network) {
  std::int64_t count = 0;
  for (const Layer& layer : network.layers) count += layer.repeat;
  return count;
}

/// Blocks and words as the publications have them; parameters of the published checkpoints.
TEST(NetworkConfig, AnImportIsThePublishedModel) {
  const Network opt = parse(
      "name: opt\nbatch: 1\ntokens: 2048\nimport: {model_type: opt, hidden_size: 5120, "
      "num_hidden_layers: 40, num_attention_heads: 40, ffn_dim: 20480}\n");
  EXPECT_EQ(layers_of(opt), 2 + 40 * 8 + 1);
  EXPECT_EQ(opt.parameters(), 12'853'473'280);
  EXPECT_EQ(opt.name, "opt");
  EXPECT_EQ(opt.batch, 1);
  EXPECT_EQ(opt.note, "");
  const Network gpt2 =
      parse("name: gpt2\nbatch: 8\ntokens: 1024\nimport: {model_type: gpt2}\noptimizer: lamb\n");
  EXPECT_EQ(layers_of(gpt2), 2 + 12 * 6 + 1);
  EXPECT_EQ(gpt2.parameters(), 124'439'808);
  EXPECT_EQ(gpt2.optimizer, Optimizer::lamb);
  const Network bert = parse(
      "name: bert\nbatch: 64\ntokens: 128\nimport: {model_type: bert, architectures: "
      "[BertModel]}\n");
  EXPECT_EQ(layers_of(bert), 3 + 12 * 8);
  EXPECT_EQ(bert.parameters(), 109'482'240);
}

TEST(NetworkConfig, LayersOfAnImportAreCalledAsTheFileSays) {
  const Network network = parse(
      "name: mine\nbatch: 1\ntokens: 64\nsizes: {masked: 4}\nimport: {model_type: bert, "
      "architectures: [BertForMaskedLM]}\nnames: {blk: enc, ff1: mlp.up, embed.word: words}\n");
  EXPECT_EQ(network.layers.front().name, "words");
  EXPECT_EQ(network.layers[3].name, "enc.qkv_each");
  EXPECT_EQ(network.layers[7].name, "enc.mlp.up");
  EXPECT_EQ(network.layers.back().height, 4);
}

TEST(NetworkConfig, WhatIsWrongWithAnImportIsSaidAtItsPlace) {
  const std::string wrong = network_error(
      "name: mine\nbatch: 1\nimport: {model_type: opt, hidden_size: wide, kv_lora_rank: 4}\n");
  EXPECT_TRUE(wrong.starts_with("net.yaml:3:9: ")) << wrong;
  EXPECT_NE(wrong.find("'hidden_size' is \"wide\", must be"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("kv_lora_rank"), std::string::npos) << wrong;
  EXPECT_NE(network_error("name: mine\nbatch: 1\nimport: {model_type: opt, hidden_sie: 512}\n")
                .find("are not read: hidden_sie;"),
            std::string::npos);
  EXPECT_NE(network_error("name: mine\nbatch: 1\nimport: {model_type: opt}\ntoken: 4\n")
                .find("net.yaml:4:1: error: unknown key 'token'"),
            std::string::npos);
  EXPECT_NE(network_error("name: mine\nimport: {model_type: opt}\n").find("'batch'"),
            std::string::npos);
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
      layer_message("{name: a, type: embedding, vocabulary: 9, features: 8, dgrad: true}");
  EXPECT_NE(dgrad.find("unknown key 'dgrad'"), std::string::npos) << dgrad;
}

TEST(NetworkConfig, ImpossibleLayersAreErrorsAtTheirPlace) {
  EXPECT_EQ(
      layer_message("{name: a, type: conv, in_channels: 4, out_channels: 8, input: 5, kernel: 7}"),
      "net.yaml:4:5: error: layer 'a': kernel 7x7 is larger than the input 5x5 with pad 0");
  EXPECT_EQ(
      layer_message("{name: a, type: conv, in_channels: 4, out_channels: 9, input: 5, groups: 4}"),
      "net.yaml:4:5: error: layer 'a': groups 4 must divide the 4 input and 9 output "
      "channels");
  EXPECT_EQ(
      layer_message("{name: a, type: linear, in_features: 900000000000000, out_features: 8000}"),
      "net.yaml:4:5: error: layer 'a': the layer has more than 2^53 multiply-accumulates in "
      "a training step");
}

TEST(NetworkConfig, ValuesOutOfRangeAreRefusedWhereTheyStand) {
  const std::string start = "{name: a, type: conv, in_channels: 4, out_channels: 8, input: 5, ";
  for (const char* bad : {"stride: 0", "repeat: 0", "groups: -1", "pad: -1", "kernel: 0",
                          "kernel: [1, 2, 3]", "stride: 1.5", "dgrad: maybe"}) {
    const std::string error = layer_message(start + bad + "}");
    const std::string place =
        "net.yaml:4:" + std::to_string(5 + start.size() + std::string(bad).find(": ") + 2);
    EXPECT_TRUE(error.starts_with(place)) << bad << ": " << error;
  }
}

TEST(NetworkConfig, KeysOfAnotherTypeOfLayerAreUnknown) {
  const std::string error =
      layer_message("{name: a, type: linear, in_features: 4, out_features: 8, kernel: 3}");
  EXPECT_NE(error.find("unknown key 'kernel'"), std::string::npos) << error;
  const std::string bmm = layer_message("{name: a, type: bmm, m: 1, n: 2, k: 3, bias: true}");
  EXPECT_NE(bmm.find("unknown key 'bias'"), std::string::npos) << bmm;
}

TEST(NetworkConfig, LayerNamesAreUnique) {
  const std::string layer = "  - {name: a, type: linear, in_features: 1, out_features: 1}\n";
  EXPECT_EQ(network_error("name: mine\nbatch: 1\nlayers:\n" + layer + layer),
            "net.yaml:5:12: error: layer 'a' is there twice; use 'repeat' for identical layers");
}

/// The error of a network of images of 4 channels and 6x6 pixels, after "error: ".
std::string graph_error(const std::string& layers) {
  const std::string text =
      network_error("name: mine\nbatch: 1\ninput: {channels: 4, pixels: 6}\nlayers:\n" + layers);
  return text == "no error" ? text : text.substr(text.find("error: ") + 7);
}

constexpr const char* kFirst =
    "  - {name: a, type: conv, in_channels: 4, out_channels: 8, input: 6, kernel: 3, pad: 1, "
    "after: [relu]}\n";

TEST(NetworkConfig, EdgesAreCheckedWhereTheNetworkStatesItsInput) {
  const std::string first = kFirst;
  const std::string same = "type: conv, in_channels: 8, out_channels: 8, input: 6";
  EXPECT_EQ(
      graph_error(first + "  - {name: b, " + same + ", after: [residual_add], shortcut: a/relu}\n"),
      "no error");
  EXPECT_EQ(graph_error(first + "  - {name: b, " + same + ", after: [residual_add]}\n"),
            "layer 'b': 'shortcut' must say what residual_add adds");
  EXPECT_EQ(graph_error(first + "  - {name: b, " + same + ", shortcut: a}\n"),
            "layer 'b': it has a 'shortcut', but no residual_add after it");
  EXPECT_EQ(graph_error(first + "  - {name: b, " + same + ", inputs: [b]}\n"),
            "layer 'b': 'b' is no layer before it, nor 'input'");
  EXPECT_EQ(graph_error(first + "  - {name: b, " + same + ", inputs: [a/softmax]}\n"),
            "layer 'b': 'a/softmax' names no operation after that layer");
  EXPECT_EQ(graph_error(first + "  - {name: b, " + same + ", inputs: [input]}\n"),
            "layer 'b': it takes 8 channels of 6x6, but its input has 4 channels of 6x6");
  EXPECT_EQ(graph_error(first + "  - {name: b, " + same + ", inputs: [a, a]}\n"),
            "layer 'b': it takes one input");
  EXPECT_EQ(
      graph_error(first + "  - {name: b, " + same + ", after: [residual_add], shortcut: input}\n"),
      "layer 'b': its shortcut has 4 channels of 6x6, it has 8 channels of 6x6");
  EXPECT_EQ(graph_error(first + "  - {name: b, " + same + ", repeat: 2}\n"),
            "layer 'b': a network that states its input names each layer by itself");
  EXPECT_EQ(graph_error(first + "  - {name: b, type: bmm, m: 6, n: 6, k: 8}\n"),
            "layer 'b': 'attention' must say whether it is scores or values");
}

TEST(NetworkConfig, PooledAndFlattenedShapesFollowTheEdges) {
  const std::string pooled =
      "  - {name: a, type: conv, in_channels: 4, out_channels: 8, input: 6, after: [max_pool]}\n";
  EXPECT_EQ(graph_error(pooled + "  - {name: b, type: linear, in_features: 72, out_features: 2}\n"),
            "no error");
  EXPECT_EQ(graph_error(pooled + "  - {name: b, type: linear, in_features: 8, out_features: 2, "
                                 "tokens: 9}\n"),
            "no error");
  EXPECT_EQ(graph_error(pooled + "  - {name: b, type: linear, in_features: 8, out_features: 2}\n"),
            "layer 'b': it takes 8 channels of 1x1, but its input has 8 channels of 3x3");
}

TEST(NetworkConfig, EdgesNeedTheNetworksInput) {
  EXPECT_EQ(
      layer_message("{name: a, type: linear, in_features: 1, out_features: 1, inputs: [input]}"),
      "net.yaml:4:3: error: layer 'a': it has edges, but the network does not state its "
      "'input'");
}

TEST(NetworkConfig, ANetworkNeedsLayers) {
  EXPECT_THROW(parse("name: mine\nbatch: 1\nlayers: []\n"), ConfigError);
  EXPECT_THROW(parse("name: mine\nbatch: 1\n"), ConfigError);
}

}  // namespace
}  // namespace stcsim
