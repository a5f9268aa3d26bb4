#include <gtest/gtest.h>

#include "sim/config/field_json.hpp"
#include "sim/config/network_config.hpp"
#include "sim/config/scheme_config.hpp"

namespace stcsim {
namespace {

Network read_back(const Network& network) {
  const YamlDocument document = parse_yaml(to_json(network).dump(), "n.json");
  MapReader map(document);
  return read_network(map);
}

void expect_same(const Network& left, const Network& right) {
  EXPECT_EQ(left.name, right.name);
  EXPECT_EQ(left.description, right.description);
  EXPECT_EQ(left.batch, right.batch);
  EXPECT_EQ(left.optimizer, right.optimizer);
  EXPECT_EQ(left.other_parameters, right.other_parameters);
  EXPECT_EQ(left.layers, right.layers);
}

/// A layer of attention on four tokens of a network that can be run.
constexpr const char* kRunnable =
    "{name: n, batch: 2, input: {vocabulary: 9, tokens: 4, features: 8, after: [layer_norm]}, "
    "layers: ["
    "{name: q, type: linear, in_features: 8, out_features: 8, tokens: 4}, "
    "{name: s, type: bmm, m: 4, n: 4, k: 4, count: 2, attention: scores, causal: true, "
    "inputs: [q, input], after: [softmax]}, "
    "{name: v, type: bmm, m: 4, n: 4, k: 4, count: 2, attention: values, inputs: [s, q], "
    "after: [residual_add], shortcut: input/embedding}]}";

TEST(NetworkJson, ReadsBackWithItsEdges) {
  const YamlDocument document = parse_yaml(kRunnable, "n.yaml");
  MapReader map(document);
  const Network network = read_network(map);
  const Network again = read_back(network);
  expect_same(again, network);
  ASSERT_TRUE(again.input.has_value());
  EXPECT_EQ(to_json(again), to_json(network));
  EXPECT_EQ(again.input->vocabulary, 9);
  EXPECT_EQ(again.layers[2].shortcut, "input/embedding");
}

TEST(NetworkJson, ReadsBackWithEveryFieldChanged) {
  Network network{"n", "text \"quoted\"", "a note", 7, Optimizer::adam, 99, {}};
  Layer conv;
  conv.name = "conv";
  conv.role = LayerRole::stem;
  conv.repeat = 2;
  conv.in_channels = 6;
  conv.out_channels = 9;
  conv.height = 11;
  conv.width = 12;
  conv.kernel_height = 3;
  conv.kernel_width = 2;
  conv.stride = 2;
  conv.pad = 1;
  conv.groups = 3;
  conv.bias = true;
  conv.tied = true;
  conv.weight_pattern = Pattern{1, 4};
  conv.needs_dgrad = false;
  conv.after = {StreamOp::batch_norm, StreamOp::relu};
  Layer linear;
  linear.name = "linear";
  linear.kind = LayerKind::linear;
  linear.role = LayerRole::ffn;
  linear.in_channels = 5;
  linear.out_channels = 4;
  linear.height = 3;
  linear.weight_pattern = kDense;
  Layer bmm;
  bmm.name = "bmm";
  bmm.kind = LayerKind::bmm;
  bmm.role = LayerRole::attention;
  bmm.bmm_m = 2;
  bmm.bmm_n = 3;
  bmm.bmm_k = 4;
  bmm.count = 5;
  Layer embedding;
  embedding.name = "embedding";
  embedding.kind = LayerKind::embedding;
  embedding.in_channels = 9;
  embedding.out_channels = 8;
  embedding.height = 7;
  embedding.tied = true;
  embedding.needs_dgrad = false;
  embedding.after = {StreamOp::dropout};
  network.layers = {conv, linear, bmm, embedding};
  expect_same(read_back(network), network);
}

TEST(NetworkJson, ReadsBackWithDefaults) {
  Network network;
  network.name = "n";
  network.layers.emplace_back().name = "conv";
  expect_same(read_back(network), network);
}

Scheme read_back(const Scheme& scheme) {
  const YamlDocument document = parse_yaml(to_json(scheme).dump(), "s.json");
  MapReader map(document);
  return read_scheme(map);
}

TEST(SchemeJson, ReadsBackWithEveryFieldChanged) {
  Scheme scheme;
  scheme.name = "s";
  scheme.description = "d";
  scheme.source = "A, \"B\", 2024";
  scheme.layers = {{LayerKind::linear}, {LayerRole::ffn, LayerRole::body}, 64, 16, 32, true};
  scheme.share_of_training = 0.8333;
  scheme.phases[0] = {PhaseSparsity{Tensor::activation, GroupAxis::c_in, {1, 8}}, std::nullopt};
  scheme.phases[2] = {PhaseSparsity{Tensor::output_gradient, GroupAxis::tokens, {2, 4}},
                      DataType::fp8_e5m2};
  scheme.mask_bits = 3;
  const Scheme again = read_back(scheme);
  EXPECT_EQ(again.name, "s");
  EXPECT_EQ(again.description, "d");
  EXPECT_EQ(again.source, "A, \"B\", 2024");
  EXPECT_EQ(again.layers.kinds, scheme.layers.kinds);
  EXPECT_EQ(again.layers.roles, scheme.layers.roles);
  EXPECT_EQ(again.layers.min_in_channels, 64);
  EXPECT_EQ(again.layers.rows_multiple_of, 16);
  EXPECT_EQ(again.layers.reduction_multiple_of, 32);
  EXPECT_TRUE(again.layers.narrowing);
  EXPECT_EQ(again.share_of_training, 0.8333);
  EXPECT_EQ(again.mask_bits, scheme.mask_bits);
  EXPECT_EQ(again.phases[0].sparsity->tensor, Tensor::activation);
  EXPECT_EQ(again.phases[0].sparsity->axis, GroupAxis::c_in);
  EXPECT_EQ(again.phases[0].sparsity->pattern, (Pattern{1, 8}));
  EXPECT_FALSE(again.phases[0].dtype);
  EXPECT_FALSE(again.phases[1].sparsity);
  EXPECT_FALSE(again.phases[1].dtype);
  EXPECT_EQ(again.phases[2].sparsity->tensor, Tensor::output_gradient);
  EXPECT_EQ(again.phases[2].sparsity->axis, GroupAxis::tokens);
  EXPECT_EQ(again.phases[2].dtype, DataType::fp8_e5m2);
}

TEST(SchemeJson, WritesADensePhaseOfAnotherType) {
  Scheme scheme;
  scheme.name = "s";
  scheme.phases[1].dtype = DataType::bf16;
  EXPECT_EQ(to_json(scheme).dump(),
            R"({"dgrad":{"dtype":"bf16"},"forward":{},"layers":{"min_in_channels":0,)"
            R"("reduction_multiple_of":1,"roles":[],"rows_multiple_of":1,"types":[]},"name":"s",)"
            R"("share_of_training":1.0,"wgrad":{}})");
  EXPECT_EQ(read_back(scheme).phases[1].dtype, DataType::bf16);
}

}  // namespace
}  // namespace stcsim
