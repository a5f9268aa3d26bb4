#include "workloads/step_memory.hpp"

#include <string>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/unit/workloads/sample_layers.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kWeights = 64 * 128;
constexpr std::int64_t kParameters = 2 * kWeights;

/// Two products of 10 tokens and 64, then 128 features, ReLU and the loss between and behind.
Network two_layers(std::int64_t batch, Optimizer optimizer = Optimizer::sgd_momentum) {
  Network network;
  network.name = "net";
  network.batch = batch;
  network.optimizer = optimizer;
  network.layers = {linear_layer(64, 128, 10), linear_layer(128, 64, 10)};
  network.layers[0].role = LayerRole::ffn;
  network.layers[0].needs_dgrad = false;
  network.layers[0].after = {StreamOp::relu};
  network.layers[1].role = LayerRole::classifier;
  network.layers[1].after = {StreamOp::softmax};
  return network;
}

/// 2:4 in forward, of the layers of the FFN; what it keeps is up to the test.
Scheme sparse_ffn() {
  Scheme scheme;
  scheme.name = "sparse";
  scheme.layers.roles = {LayerRole::ffn};
  scheme.phases[0].sparsity = PhaseSparsity{};
  return scheme;
}

std::optional<PackedTensor> nothing_packed(const Layer&, Phase) {
  return std::nullopt;
}

std::optional<PackedTensor> packed_in_forward(const Layer& layer, Phase phase) {
  if (layer.role != LayerRole::ffn || phase != Phase::forward) return std::nullopt;
  return PackedTensor{};
}

StepMemory dense_memory(const Network& network, const std::string& framework,
                        DataType dtype = DataType::fp16) {
  return step_memory(network, dtype, load_framework(framework), Scheme{}, nothing_packed);
}

StepMemory sparse_memory(const Scheme& scheme, const std::string& framework) {
  return step_memory(two_layers(1), DataType::fp16, load_framework(framework), scheme,
                     packed_in_forward);
}

/// fp32 weights, their fp16 copies, fp32 gradients and momentum; saved are the input (1280 bytes),
/// ReLU's output, which is the next product's input (2560), and log_softmax's fp32 output (2560).
/// Most comes and goes in ReLU's backward: two gradients of 2560 bytes.
TEST(StepMemory, EverythingOfAStepInEagerMode) {
  const StepMemory memory = dense_memory(two_layers(1), "pytorch_eager");
  EXPECT_EQ(memory.weights, (4 + 2) * kParameters);
  EXPECT_EQ(memory.gradients, 4 * kParameters);
  EXPECT_EQ(memory.optimizer, 4 * kParameters);
  EXPECT_EQ(memory.activations, 1280 + 2560 + 2560);
  EXPECT_EQ(memory.working, 2560 + 2560);
  EXPECT_EQ(memory.compressed + memory.metadata + memory.masks, 0);
  EXPECT_EQ(memory.total(), 14 * kParameters + 6400 + 5120);
}

/// Half the values of the first layer, two bits for each of them, and a mask of a byte a weight.
TEST(StepMemory, SparseWeightsLieBesideTheDenseOnes) {
  Scheme scheme = sparse_ffn();
  scheme.mask_bits = 8;
  const StepMemory memory = sparse_memory(scheme, "pytorch_eager");
  StepMemory expected = dense_memory(two_layers(1), "pytorch_eager");
  expected.compressed = kWeights / 2 * 2;
  expected.metadata = kWeights / 2 * 2 / 8;
  expected.masks = kWeights;
  EXPECT_EQ(memory, expected);
}

/// Half of the first layer is left of everything that there is a piece of per parameter, and the
/// compressed weights are its copy.
TEST(StepMemory, ASchemeWithoutDenseWeightsHalvesTheOptimizersState) {
  Scheme scheme = sparse_ffn();
  scheme.updates_kept = true;
  const StepMemory memory = sparse_memory(scheme, "pytorch_eager");
  constexpr std::int64_t kLeft = kParameters - kWeights / 2;
  EXPECT_EQ(memory.weights, 4 * kLeft + 2 * kWeights);
  EXPECT_EQ(memory.gradients, 4 * kLeft);
  EXPECT_EQ(memory.optimizer, 4 * kLeft);
  EXPECT_EQ(memory.compressed, kWeights);
}

/// Gradients of 1280 elements, half of them kept, with two bits for each.
TEST(StepMemory, PrunedGradientsComeAndGo) {
  const auto packed = [](const Layer& layer, Phase phase) -> std::optional<PackedTensor> {
    if (layer.role != LayerRole::ffn || phase != Phase::wgrad) return std::nullopt;
    return PackedTensor{Tensor::output_gradient, {2, 4}, DataType::fp16};
  };
  const Framework framework = load_framework("ideal");
  const StepMemory dense =
      step_memory(two_layers(1), DataType::fp16, framework, Scheme{}, nothing_packed);
  const StepMemory sparse =
      step_memory(two_layers(1), DataType::fp16, framework, sparse_ffn(), packed);
  EXPECT_EQ(dense.working, 2560 + 2560);
  EXPECT_EQ(sparse.working, 2560 + 2560 + 1280 + 160);
  EXPECT_EQ(sparse.compressed, 0);
}

/// The second product keeps its 1280 inputs packed, and unpacks nothing; where ReLU keeps its
/// result too, the packed one comes in wgrad, as where another product reads the same dense.
TEST(StepMemory, ActivationsThatWgradTakesPackedStayPacked) {
  Network network = two_layers(1);
  network.layers[0].after = {StreamOp::gelu};
  double dense_share = 0;
  const auto packed = [&](const Layer& layer, Phase phase) -> std::optional<PackedTensor> {
    if (layer.role != LayerRole::classifier || phase != Phase::wgrad) return std::nullopt;
    return PackedTensor{Tensor::activation, {2, 4}, DataType::fp16, dense_share};
  };
  const auto memory_of = [&](const PackedAs& packed_as) {
    return step_memory(network, DataType::fp16, load_framework("pytorch_eager"), Scheme{},
                       packed_as);
  };
  const std::int64_t dense = memory_of(nothing_packed).activations;
  EXPECT_EQ(memory_of(packed).activations, dense - 2560 + 1280 + 160);
  EXPECT_EQ(memory_of(packed).working, memory_of(nothing_packed).working);
  dense_share = 0.05;
  EXPECT_EQ(memory_of(packed).activations, dense - 2560 + 1216 + 152 + 128);
  dense_share = 0;
  network.layers.push_back(network.layers[1]);
  network.layers.back().role = LayerRole::ffn;
  const std::int64_t of_three = memory_of(nothing_packed).activations;
  EXPECT_EQ(memory_of(packed).activations, of_three) << "the third reads the same, dense";
  network.layers.pop_back();
  network.layers[0].after = {StreamOp::relu};
  const StepMemory with_relu = memory_of(packed);
  EXPECT_EQ(with_relu.activations, memory_of(nothing_packed).activations);
  EXPECT_EQ(with_relu.working, memory_of(nothing_packed).working + 1280 + 160);
}

TEST(StepMemory, AdamKeepsTwoStatesAndEagerModeARootOfOneForAWhile) {
  const StepMemory sgd = dense_memory(two_layers(1), "pytorch_eager");
  const StepMemory adam = dense_memory(two_layers(1, Optimizer::adam), "pytorch_eager");
  EXPECT_EQ(adam.optimizer, 2 * sgd.optimizer);
  EXPECT_EQ(adam.weights, sgd.weights);
  EXPECT_EQ(adam.activations + adam.working, 4 * kParameters);
  const StepMemory fused = dense_memory(two_layers(1, Optimizer::adam), "nvidia_tuned");
  EXPECT_EQ(fused.optimizer, 8 * kParameters);
  EXPECT_EQ(fused.gradients, 2 * kParameters);
  EXPECT_EQ(fused.weights, 6 * kParameters);
}

/// PyTorch 1 updates a tensor at a time: no more is there than the root of the largest.
TEST(StepMemory, AnOptimizerByTensorKeepsTheRootOfOne) {
  Network network = two_layers(1, Optimizer::adam);
  const StepMemory memory = dense_memory(network, "pytorch_1_eager");
  EXPECT_EQ(memory.activations + memory.working, 4 * kWeights);
  network.other_parameters = 5 * kWeights;
  EXPECT_EQ(dense_memory(network, "pytorch_1_eager").working + memory.activations, 20 * kWeights);
}

TEST(StepMemory, GrowsWithTheBatchByWhatASampleSaves) {
  StepMemory last = dense_memory(two_layers(1), "pytorch_eager");
  for (std::int64_t batch = 2; batch <= 9; ++batch) {
    const StepMemory memory = dense_memory(two_layers(batch), "pytorch_eager");
    EXPECT_EQ(memory.activations, batch * 6400);
    EXPECT_EQ(memory.weights, last.weights);
    EXPECT_GT(memory.total(), last.total());
    last = memory;
  }
}

/// tf32 is stored as 32 bits, and nothing is cast: no copies.
TEST(StepMemory, FollowsTheDataType) {
  const StepMemory memory = dense_memory(two_layers(1), "pytorch_eager", DataType::tf32);
  EXPECT_EQ(memory.weights, 4 * kParameters);
  EXPECT_EQ(memory.activations, 2560 + 5120 + 2560);
}

std::int64_t saved(std::vector<StreamOp> after, const std::string& framework,
                   LayerKind kind = LayerKind::conv) {
  Layer layer = conv_layer(8, 16, 10, 1, 1, 0);  // 1600 elements
  if (kind == LayerKind::bmm) layer = bmm_layer(40, 40, 8, 1);
  layer.after = std::move(after);
  return saved_bytes(layer, 1, DataType::fp16, load_framework(framework), true);
}

/// GELU of composed operators keeps three tensors, one kernel its input.
TEST(SavedBytes, ComposedOperatorsKeepMore) {
  using enum StreamOp;
  EXPECT_EQ(saved({bias, gelu}, "pytorch_fp16"), 3200 + 3200);
  EXPECT_EQ(saved({bias, gelu}, "pytorch_squad"), 3 * 3200 + 3200);
  EXPECT_EQ(saved({relu_squared}, "pytorch_eager"), 3200 + 3200);
}

/// A tensor that two kernels keep lies in memory once.
TEST(SavedBytes, WhatAConvolutionsOperationsKeep) {
  using enum StreamOp;
  EXPECT_EQ(saved({}, "pytorch_eager"), 3200);
  EXPECT_EQ(saved({batch_norm}, "pytorch_eager"), 3200 + 3200);
  EXPECT_EQ(saved({batch_norm, relu}, "pytorch_eager"), 3200 + 3200);
  EXPECT_EQ(saved({batch_norm, residual_add, relu}, "pytorch_eager"), 3200 + 3200);
  EXPECT_EQ(saved({batch_norm, relu, max_pool}, "pytorch_eager"), 3200 + 3200 + 400 * (8 + 2));
  EXPECT_EQ(saved({batch_norm, relu}, "nvidia_tuned"), 3200 + 200 + 3200);
  EXPECT_EQ(saved({batch_norm, relu}, "pytorch_compiled"), 3200 + 3200);
  EXPECT_EQ(saved({batch_norm, relu}, "ideal"), 3200 + 3200);
}

TEST(SavedBytes, ScoresStayOnChipInFlashAttention) {
  using enum StreamOp;
  const auto of = [](const std::string& framework) {
    return saved({softmax, dropout}, framework, LayerKind::bmm);
  };
  EXPECT_EQ(of("pytorch_eager"), 1600 * (4 + 2 + 1));
  EXPECT_EQ(of("pytorch_fp16"), 1600 * (2 + 2 + 1));
  EXPECT_EQ(of("nvidia_tuned"), 1600 * (2 + 2 + 1));
  EXPECT_EQ(of("pytorch_compiled"), 40 * 4) << "a number of fp32 for each of 40 rows";
}

/// Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", 2022,
/// equation 1: a layer of a transformer in 16 bits saves s b h (34 + 5 a s / h) bytes.
TEST(SavedBytes, ATransformerLayerSavesWhatIsPublished) {
  using enum StreamOp;
  constexpr std::int64_t kTokens = 128;
  constexpr std::int64_t kHidden = 256;
  constexpr std::int64_t kHeads = 4;
  constexpr std::int64_t kBatch = 3;
  const auto linear = [](std::int64_t in, std::int64_t out, std::vector<StreamOp> after) {
    Layer layer = linear_layer(in, out, kTokens);
    layer.after = std::move(after);
    return layer;
  };
  Layer scores = bmm_layer(kTokens, kTokens, kHidden / kHeads, kHeads);
  scores.after = {softmax, dropout};
  const std::vector<Layer> layers{
      linear(kHidden, 3 * kHidden, {bias}),
      scores,
      bmm_layer(kHidden / kHeads, kTokens, kTokens, kHeads),
      linear(kHidden, kHidden, {bias, dropout, residual_add, layer_norm}),
      linear(kHidden, 4 * kHidden, {bias, gelu}),
      linear(4 * kHidden, kHidden, {bias, dropout, residual_add, layer_norm})};
  std::int64_t bytes = 0;
  for (const Layer& layer : layers) {
    bytes += saved_bytes(layer, kBatch, DataType::fp16, load_framework("pytorch_fp16"), true);
  }
  EXPECT_EQ(bytes, kTokens * kBatch * (34 * kHidden + 5 * kHeads * kTokens));
}

}  // namespace
}  // namespace stcsim
