#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/unit/config/scratch_folder.hpp"
#include "tests/unit/workloads/sample_layers.hpp"
#include "workloads/files/workload_config.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

using ReadWritten = std::pair<std::int64_t, std::int64_t>;

/// Bytes that the kernels of one operation after a linear layer of 64 features and 32 tokens read
/// and write, forward and backward, of fp16 and batch 2: x has 4,096 elements.
std::pair<ReadWritten, ReadWritten> bytes_of_word(StreamOp op, const char* framework,
                                                  std::int64_t experts_per_token = 1) {
  Layer layer = linear_layer(16, 64, 32);
  layer.after = {op};
  layer.experts = 4;
  layer.experts_per_token = experts_per_token;
  std::pair<ReadWritten, ReadWritten> bytes;
  for (const StreamKernel& kernel :
       stream_kernels(layer, 2, DataType::fp16, load_framework(framework))) {
    ReadWritten& sum = kernel.backward ? bytes.second : bytes.first;
    sum.first += kernel.work.read_bytes * kernel.launches;
    sum.second += kernel.work.write_bytes * kernel.launches;
  }
  return bytes;
}

constexpr std::int64_t kX = 4096 * 2;  // bytes of x in 16 bits

TEST(Words, BytesOfTheLeastThatEachMoves) {
  const auto expect = [](StreamOp op, ReadWritten forward, ReadWritten backward) {
    EXPECT_EQ(bytes_of_word(op, "ideal"), std::pair(forward, backward)) << to_string(op);
    EXPECT_EQ(bytes_of_word(op, "nvidia_tuned"), std::pair(forward, backward)) << to_string(op);
  };
  expect(StreamOp::rms_norm, {kX, kX}, {4 * kX, kX});         // x and dy, twice
  expect(StreamOp::silu, {kX, kX}, {2 * kX, kX});             // x and dy
  expect(StreamOp::gelu_tanh, {kX, kX}, {2 * kX, kX});        // x and dy
  expect(StreamOp::relu_squared, {kX, kX}, {2 * kX, kX});     // x and dy
  expect(StreamOp::mul, {2 * kX, kX}, {3 * kX, 2 * kX});      // two factors; their gradients
  expect(StreamOp::rope, {kX, kX}, {kX, kX});                 // rotated back
  expect(StreamOp::swiglu, {kX, kX / 2}, {kX + kX / 2, kX});  // y is half of x: counted once
  expect(StreamOp::geglu, {kX, kX / 2}, {kX + kX / 2, kX});
}

TEST(Words, ExpertsOutputsAreAddedUp) {
  // Two experts a token: x has 8,192 elements, y 4,096. Gathered and added up; going backward the
  // experts' outputs are needed for the gradient of their weights.
  EXPECT_EQ(bytes_of_word(StreamOp::combine, "ideal", 2),
            std::pair(ReadWritten(kX + 2 * kX, 2 * kX + kX),
                      ReadWritten(2 * kX + kX + 2 * kX, 2 * kX + kX)));
}

TEST(Words, EagerRotationTakesFiveKernels) {
  // x cos; half of x negated; halves joined; times sin; both added.
  const ReadWritten forward{kX + kX / 2 + kX + kX + 2 * kX, kX + kX / 2 + kX + kX + kX};
  EXPECT_EQ(bytes_of_word(StreamOp::rope, "pytorch_eager").first, forward);
  // SiLU reads its half and writes y; the product reads the other half and y.
  EXPECT_EQ(bytes_of_word(StreamOp::swiglu, "pytorch_eager").first,
            ReadWritten(kX / 2 + kX, kX / 2 + kX / 2));
  // ReLU, then its square; going backward each reads what ReLU left and a gradient.
  EXPECT_EQ(bytes_of_word(StreamOp::relu_squared, "pytorch_eager"),
            std::pair(ReadWritten(2 * kX, 2 * kX), ReadWritten(4 * kX, 2 * kX)));
  EXPECT_EQ(bytes_of_word(StreamOp::relu_squared, "pytorch_compiled").first, ReadWritten(kX, kX));
  // Of 32 bits: squares, mean, scale, weight, then the cast: 5 reads and 3 writes of 2 kX, kX.
  EXPECT_EQ(bytes_of_word(StreamOp::rms_norm, "pytorch_eager").first,
            ReadWritten(5 * 2 * kX, 3 * 2 * kX + kX));
}

/// M, N, K and count of the one product of a phase.
std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> product_of_phase(
    const Layer& layer, Phase phase, std::int64_t batch = 1) {
  const std::vector<GemmProblem> gemms = lower(layer, phase, batch);
  EXPECT_EQ(gemms.size(), 1U);
  return {gemms.at(0).m, gemms.at(0).n, gemms.at(0).k, gemms.at(0).batch_count};
}

Layer causal_scores(std::int64_t tokens, std::int64_t block) {
  Layer layer = bmm_layer(tokens, tokens, 64, 12);
  layer.after = {StreamOp::softmax};
  layer.causal = true;
  layer.skipped_block = block;
  return layer;
}

TEST(Words, CausalAttentionMeetsTheBlocksOnAndBelowTheDiagonal) {
  // Eight blocks of 128 queries meet 1 to 8 blocks of keys: 36 of 64.
  Layer scores = causal_scores(1024, 128);
  EXPECT_EQ(scores.keys_met(), 576);
  EXPECT_EQ(scores.forward_macs(), std::int64_t{36} * 128 * 128 * 64 * 12);
  EXPECT_EQ(product_of_phase(scores, Phase::forward), std::tuple(576, 1024, 64, 12));
  EXPECT_EQ(product_of_phase(scores, Phase::dgrad), std::tuple(64, 1024, 576, 12));
  EXPECT_EQ(product_of_phase(scores, Phase::wgrad), std::tuple(576, 64, 1024, 12));
  Layer values = bmm_layer(64, 1024, 1024, 12);
  values.causal = true;
  values.skipped_block = 128;
  EXPECT_EQ(values.forward_macs(), scores.forward_macs());
  EXPECT_EQ(product_of_phase(values, Phase::forward), std::tuple(64, 1024, 576, 12));
  // One query at a time: 1 + 2 + ... + 5 = 15 pairs, 3 keys a query.
  EXPECT_EQ(causal_scores(5, 1).keys_met(), 3);
  EXPECT_EQ(causal_scores(100, 128).keys_met(), 100);  // a single block
  EXPECT_EQ(causal_scores(1024, 0).keys_met(), 1024);  // a kernel that skips nothing
}

TEST(Words, AWindowLeavesOutWhatLiesBeforeIt) {
  Layer scores = causal_scores(1024, 128);
  scores.window = 256;  // blocks of keys: 1, 2, then 3 for six blocks of queries
  EXPECT_EQ(scores.keys_met(), (1 + 2 + 6 * 3) * 128 / 8);
  scores.window = 1;  // itself: the block on the diagonal
  EXPECT_EQ(scores.keys_met(), 128);
}

TEST(Words, WhatACausalMaskHidesIsMultipliedWhereTheFrameworkDoes) {
  const Layer scores = causal_scores(1024, 0);
  EXPECT_EQ(with_skipped_blocks(scores, load_framework("pytorch_2_eager")).keys_met(), 576);
  EXPECT_EQ(with_skipped_blocks(scores, load_framework("pytorch_compiled")).keys_met(), 576);
  EXPECT_EQ(with_skipped_blocks(scores, load_framework("pytorch_eager")).keys_met(), 1024);
  Layer encoder = scores;
  encoder.causal = false;
  EXPECT_EQ(with_skipped_blocks(encoder, load_framework("pytorch_2_eager")).keys_met(), 1024);
}

TEST(Words, GroupedQueriesShareTheirKeys) {
  Layer scores = bmm_layer(128, 128, 64, 8);
  scores.shared_by = 4;
  EXPECT_EQ(product_of_phase(scores, Phase::forward, 3), std::tuple(128, 512, 64, 6));
  EXPECT_EQ(product_of_phase(scores, Phase::wgrad, 3), std::tuple(128, 64, 512, 6));
  EXPECT_EQ(scores.forward_macs(), 128 * 128 * 64 * 8);
  EXPECT_EQ(scores.input_elements(), 128 * 64 * 2);  // of two heads of keys
}

TEST(Words, ExpertsShareTheTokens) {
  Layer layer = linear_layer(64, 256, 100);
  layer.experts = 8;
  layer.experts_per_token = 2;  // 3 x 100 x 2 / 8 = 75 tokens for each
  EXPECT_EQ(product_of_phase(layer, Phase::forward, 3), std::tuple(256, 75, 64, 8));
  EXPECT_EQ(product_of_phase(layer, Phase::dgrad, 3), std::tuple(64, 75, 256, 8));
  EXPECT_EQ(product_of_phase(layer, Phase::wgrad, 3), std::tuple(256, 64, 75, 8));
  EXPECT_EQ(layer.weight_elements(), 8 * 64 * 256);
  EXPECT_EQ(layer.forward_macs(), 100 * 2 * 64 * 256);
  EXPECT_EQ(layer.output_elements(), 100 * 2 * 256);
}

/// Multiply-accumulates of dgrad, pixel by pixel and tap by tap.
std::int64_t counted_dgrad(const Layer& layer) {
  const auto taps = [](std::int64_t at, std::int64_t kernel, std::int64_t stride, std::int64_t pad,
                       std::int64_t dilation) {
    std::int64_t count = 0;
    for (std::int64_t tap = 0; tap < kernel; ++tap) {
      if ((((at + pad - tap * dilation) % stride) + stride) % stride == 0) ++count;
    }
    return count;
  };
  std::int64_t pairs = 0;
  for (std::int64_t y = 0; y < layer.height; ++y) {
    for (std::int64_t x = 0; x < layer.width; ++x) {
      pairs +=
          taps(y, layer.kernel_height, layer.stride, layer.pad, layer.dilation) *
          taps(x, layer.kernel_width, layer.column_stride(), layer.column_pad(), layer.dilation);
    }
  }
  return pairs * layer.in_channels * layer.out_channels;
}

TEST(Words, DilatedAndUnequalWindowsAreCountedTapByTap) {
  std::mt19937 random(20261126);
  const auto next = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
  for (int at = 0; at < 500; ++at) {
    Layer layer = conv_layer(2, 3, 12 + next(20), next(5), next(4), next(4) - 1);
    layer.width = 12 + next(20);
    layer.kernel_width = next(5);
    layer.dilation = next(4);
    if (next(2) == 1) layer.stride_columns = next(4);
    if (next(2) == 1) layer.pad_columns = next(4) - 1;
    if (!find_fault(layer, 1).empty()) continue;
    std::int64_t macs = 0;
    for (const GemmProblem& gemm : lower(layer, Phase::dgrad, 1)) macs += gemm.macs();
    EXPECT_EQ(macs, counted_dgrad(layer)) << at;
    // The last window ends within the padded input, one more would not.
    const std::int64_t reach = layer.dilation * (layer.kernel_width - 1) + 1;
    const std::int64_t input = layer.width + 2 * layer.column_pad();
    EXPECT_LE((layer.out_width() - 1) * layer.column_stride() + reach, input) << at;
    EXPECT_GT(layer.out_width() * layer.column_stride() + reach, input) << at;
  }
}

TEST(Words, OnlyTheNamedPhasesHaveProducts) {
  Layer layer = linear_layer(8, 8, 8);
  layer.phases = {Phase::forward, Phase::wgrad};
  EXPECT_EQ(lower(layer, Phase::forward, 1).size(), 1U);
  EXPECT_TRUE(lower(layer, Phase::dgrad, 1).empty());
  EXPECT_EQ(lower(layer, Phase::wgrad, 1).size(), 1U);
}

Network network_of_text(const std::string& more, const std::string& layer) {
  const YamlDocument document = parse_yaml(
      "name: n\nbatch: 1\n" + more + "layers:\n  - {name: a, " + layer + "}\n", "n.yaml");
  MapReader map(document);
  return read_network(map);
}

constexpr const char* kNormed =
    "type: linear, in_features: 4, out_features: 8, repeat: 3, after: [layer_norm, rms_norm]";

TEST(Words, BlocksToCopyAreNetworks) {
  std::ifstream file(STCSIM_SOURCE_DIR "/docs/workloads.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string fence = "```yaml\n";
  std::map<std::string, std::int64_t> parameters;
  for (std::size_t at = text.find(fence); at < text.find("\n### "); at = text.find(fence, at)) {
    at += fence.size();
    const std::string block = text.substr(at, text.find("```", at) - at);
    const YamlDocument document = parse_yaml("name: n\nbatch: 1\nlayers:\n" + block, "block");
    MapReader map(document);
    const Network network = read_network(map);
    parameters[network.layers.front().name] = network.parameters();
  }
  ASSERT_EQ(parameters.size(), 4U);
  // LLaMA-3-8B, whose last norm is the 65th; a router and eight experts of three matrices, 32
  // norms.
  EXPECT_EQ(parameters.at("embed"), 8'030'261'248);
  EXPECT_EQ(parameters.at("router"),
            std::int64_t{32} * (4096 * 8 + std::int64_t{8} * 3 * 4096 * 14336 + 4096));
  // ViT-Base without its head, class token and positions.
  EXPECT_EQ(parameters.at("patches"), 86'567'656 - 769'000 - 198 * 768);
}

TEST(Words, OtherParametersFollowFromTheNormalisations) {
  EXPECT_EQ(network_of_text("", kNormed).other_parameters, 3 * (2 * 8 + 8));
  const Network stated = network_of_text("other_parameters: 100\n", kNormed);
  EXPECT_EQ(stated.other_parameters, 100);
  EXPECT_EQ(stated.note, "");
  EXPECT_THAT(network_of_text("other_parameters: 71\n", kNormed).note,
              testing::HasSubstr("is 71, but the normalisations after its layers alone have 72"));
}

TEST(Words, SynonymsAreAnswered) {
  const auto error = [](const std::string& layer) {
    return error_of([&] { (void)network_of_text("", layer); });
  };
  EXPECT_THAT(error("type: linear, role: mlp, in_features: 1, out_features: 1"),
              testing::EndsWith("'role' is 'mlp': here it is ffn"));
  EXPECT_THAT(error("type: conv2d, in_channels: 1"), testing::EndsWith("here it is conv"));
  EXPECT_THAT(error("type: linear, in_features: 1, out_features: 1, after: [swish]"),
              testing::EndsWith("is 'swish': here it is silu"));
}

TEST(Words, WhatDoesNotGoTogetherIsRefused) {
  Layer window = bmm_layer(8, 8, 8, 4);
  window.window = 4;
  EXPECT_EQ(find_fault(window, 1), "only a causal bmm has a window");
  window.window = 0;
  window.shared_by = 3;
  EXPECT_EQ(find_fault(window, 1), "shared_by 3 must divide the count 4");
  Layer experts = linear_layer(8, 8, 8);
  experts.experts_per_token = 2;
  EXPECT_EQ(find_fault(experts, 1), "experts_per_token is 2, must be at most the 1 experts");
}

}  // namespace
}  // namespace stcsim
