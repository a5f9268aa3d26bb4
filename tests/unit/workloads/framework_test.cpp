#include "workloads/framework.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/unit/workloads/sample_layers.hpp"
#include "workloads/lowering.hpp"
#include "workloads/operation_groups.hpp"

namespace stcsim {
namespace {

using Lines = std::vector<std::string>;
using enum StreamOp;

/// One line per kernel: kind, name, bytes read and written.
Lines lines(const std::vector<StreamKernel>& kernels) {
  Lines result;
  for (const StreamKernel& kernel : kernels) {
    result.push_back(std::string(to_string(kernel.kind)) + ": " + kernel.name + " r" +
                     std::to_string(kernel.work.read_bytes) + " w" +
                     std::to_string(kernel.work.write_bytes));
  }
  return result;
}

/// Kernels of PyTorch eager after a linear layer with 1000 outputs.
Lines eager(std::vector<StreamOp> ops, DataType dtype = DataType::fp16) {
  Layer layer = linear_layer(10, 100, 10);
  layer.after = std::move(ops);
  return lines(stream_kernels(layer, 1, dtype, load_framework("pytorch_eager")));
}

/// After a convolution with 1024 outputs.
Lines eager_conv(std::vector<StreamOp> ops) {
  Layer layer = conv_layer(4, 16, 8, 1, 1, 0);
  layer.after = std::move(ops);
  return lines(stream_kernels(layer, 1, DataType::fp16, load_framework("pytorch_eager")));
}

/// Batch normalisation 6 and 10 bytes per element, ReLU 4 and 6, addition 6 and 6: kernels of their
/// own, and nothing is cast.
TEST(PytorchEager, AfterAConvolutionEveryOperationIsAKernel) {
  EXPECT_EQ(
      eager_conv({batch_norm, residual_add, relu}),
      (Lines{"normalisation: batch_norm forward r4096 w2048",
             "residual: residual_add forward r4096 w2048", "activation: relu forward r2048 w2048",
             "activation: relu backward r4096 w2048", "residual: residual_add backward r4096 w2048",
             "normalisation: batch_norm backward r8192 w2048"}));
}

/// 256 outputs: 2 bytes and an index of 8 each, so 4.5 bytes per input both ways.
TEST(PytorchEager, MaxPoolKeepsIndices) {
  EXPECT_EQ(eager_conv({max_pool}), (Lines{"pooling: max_pool forward r2048 w2560",
                                           "pooling: max_pool backward r2560 w2048"}));
}

/// Per element: addition 2 + 4 -> 4, norm twice 4 -> 4, cast 4 -> 2, and back: cast 2 -> 4, norm
/// twice 8 -> 4 and 8 for its parameters, sum of branches 8 -> 4, cast 4 -> 2, bias 2.
TEST(PytorchEager, TheResidualStreamIsFp32) {
  EXPECT_EQ(
      eager({bias, residual_add, layer_norm}),
      (Lines{"residual: residual_add forward r6000 w4000",
             "normalisation: layer_norm forward r8000 w4000",
             "casts: cast of the normalised forward r4000 w2000",
             "casts: cast of the gradient backward r2000 w4000",
             "normalisation: layer_norm backward r16000 w4000",
             "normalisation: layer_norm parameters backward r8000 w0",
             "residual: residual_add backward r8000 w4000",
             "casts: cast of the gradient backward r4000 w2000", "bias: bias backward r2000 w0"}));
}

/// tf32 results are fp32 anyway: every byte but those of masks doubles, and no cast is launched.
TEST(PytorchEager, NothingIsCastWhereEverythingIsFp32) {
  EXPECT_EQ(eager({residual_add, dropout, gelu}, DataType::tf32),
            (Lines{"residual: residual_add forward r8000 w4000",
                   "dropout: dropout forward r4000 w5000", "activation: gelu forward r4000 w4000",
                   "activation: gelu backward r8000 w4000", "dropout: dropout backward r5000 w4000",
                   "residual: residual_add backward r8000 w4000"}));
}

/// 600 scores, 400 elements of q and k each. Per score forward 4 + 6 + 6 bytes, backward 6 + 10
/// + 4.
TEST(PytorchEager, ScoresAreMaterialised) {
  Layer scores = bmm_layer(20, 30, 10, 1);
  scores.after = {softmax};
  EXPECT_EQ(
      lines(stream_kernels(scores, 2, DataType::fp16, load_framework("pytorch_eager"))),
      (Lines{
          "layout: copy of q forward r800 w800", "layout: copy of k forward r1200 w1200",
          "softmax: scale of the scores forward r2400 w2400",
          "softmax: softmax forward r2400 w4800", "casts: cast of the scores forward r4800 w2400",
          "casts: cast of the scores backward r2400 w4800", "softmax: softmax backward r9600 w2400",
          "softmax: scale of the scores backward r2400 w2400",
          "layout: gradients stacked backward r2000 w2000",
          "layout: gradients copied backward r2000 w2000"}));
}

/// 400 elements of q and 600 of k, 600 scores, of which nothing is in memory: their gradients are
/// joined with that of v, and nothing else runs.
TEST(PyTorch2Eager, FlashAttentionKeepsScoresOnChip) {
  const Framework framework = load_framework("pytorch_2_eager");
  Layer scores = bmm_layer(20, 30, 10, 1);
  for (const auto& after : {std::vector{softmax}, std::vector{softmax, dropout}}) {
    scores.after = after;
    EXPECT_EQ(lines(stream_kernels(scores, 2, DataType::fp16, framework)),
              Lines{"layout: gradients joined backward r2000 w2000"});
  }
  scores.after = {};
  EXPECT_EQ(lines(stream_kernels(scores, 2, DataType::fp16, framework)),
            Lines{"layout: gradients joined backward r800 w800"});
}

/// All but attention is as in pytorch_eager.
TEST(PyTorch2Eager, RunsTheRestAsPytorchEager) {
  const Framework framework = load_framework("pytorch_2_eager");
  for (const std::vector<StreamOp>& ops :
       {std::vector{bias, residual_add, layer_norm}, std::vector{dropout, gelu},
        std::vector{batch_norm, residual_add, relu}}) {
    Layer layer = linear_layer(10, 100, 10);
    layer.after = ops;
    EXPECT_EQ(lines(stream_kernels(layer, 1, DataType::fp16, framework)), eager(ops));
  }
}

TEST(ScorePlace, IsWhereTheFrameworkLeavesScores) {
  Network network;
  network.layers = {linear_layer(10, 100, 10), bmm_layer(20, 30, 10, 1)};
  EXPECT_EQ(score_place(network, load_framework("pytorch_eager")), ScorePlace::none);
  network.layers.back().after = {softmax, dropout};
  EXPECT_EQ(score_place(network, load_framework("pytorch_eager")), ScorePlace::materialised);
  EXPECT_EQ(score_place(network, load_framework("pytorch_2_eager")), ScorePlace::on_chip);
}

/// Scores and the values that they mix are one kernel where types have 16 bits.
TEST(AttentionOf, IsAKernelOfScoresOnChip) {
  Network network;
  network.batch = 3;
  network.layers = {bmm_layer(20, 30, 10, 4), bmm_layer(10, 30, 20, 4)};
  network.layers.front().after = {softmax, dropout};
  network.layers.front().causal = true;
  const Framework flash = load_framework("pytorch_2_eager");
  const auto of = [&](DataType dtype, const Framework& framework) {
    return attention_of(network, network.layers.front(), dtype, framework);
  };
  const auto shape = of(DataType::bf16, flash);
  ASSERT_TRUE(shape.has_value());
  EXPECT_EQ(*shape, (AttentionShape{3, 4, 4, 30, 20, 10, true, 0, true, DataType::bf16, kDense}));
  EXPECT_TRUE(is_in_attention(network, network.layers[1], DataType::bf16, flash));
  EXPECT_FALSE(is_in_attention(network, network.layers[0], DataType::bf16, flash));
  EXPECT_FALSE(of(DataType::tf32, flash));
  EXPECT_FALSE(of(DataType::bf16, load_framework("pytorch_eager")));
  const Framework compiled = load_framework("pytorch_2_11_compiled");
  EXPECT_FALSE(of(DataType::bf16, compiled)->mask);
  network.layers.front().padded = true;
  EXPECT_TRUE(of(DataType::bf16, compiled)->mask);
  EXPECT_FALSE(of(DataType::bf16, load_framework("pytorch_2_11_eager"))->mask);
  network.layers[1].count = 2;
  EXPECT_FALSE(of(DataType::bf16, flash)) << "not of these heads";
}

/// 36 bytes per logit.
TEST(PytorchEager, TheLossIsFp32) {
  Layer layer = linear_layer(10, 100, 10);
  layer.role = LayerRole::classifier;
  layer.after = {softmax};
  const auto kernels =
      lines(stream_kernels(layer, 1, DataType::fp16, load_framework("pytorch_eager")));
  EXPECT_EQ(kernels, (Lines{"casts: cast of the logits forward r2000 w4000",
                            "loss: log_softmax forward r4000 w4000",
                            "loss: zero fill of nll_loss backward r0 w4000",
                            "loss: log_softmax backward r8000 w4000",
                            "casts: cast of the logits backward r4000 w2000"}));
}

/// 6 bytes per weight each way; a layer that shares another's weight has none to cast.
TEST(PytorchEager, WeightsAreCastOncePerStep) {
  const Framework framework = load_framework("pytorch_eager");
  Layer layer = linear_layer(10, 100, 10);
  EXPECT_EQ(lines(weight_kernels(layer, DataType::fp16, framework)),
            (Lines{"casts: cast of the weight forward r4000 w2000",
                   "casts: cast of the gradient backward r2000 w4000"}));
  EXPECT_TRUE(weight_kernels(layer, DataType::tf32, framework).empty());
  layer.tied = true;
  EXPECT_TRUE(weight_kernels(layer, DataType::fp16, framework).empty());
}

/// SGD with momentum moves 44 bytes per parameter and 8 for unscaling, Adam 80 and 8.
TEST(PytorchEager, OptimizersRunAnOperationAtATime) {
  Network network;
  network.other_parameters = 1000;
  for (const auto& [optimizer, bytes] :
       {std::pair{Optimizer::sgd_momentum, 52'000}, std::pair{Optimizer::adam, 88'000}}) {
    network.optimizer = optimizer;
    std::int64_t moved = 0;
    for (const StreamKernel& kernel : optimizer_kernels(network, load_framework("pytorch_eager"))) {
      moved += kernel.work.read_bytes + kernel.work.write_bytes;
      EXPECT_EQ(kernel.launches, 1);
      EXPECT_EQ(kernel.kind, StreamKind::optimizer);
    }
    EXPECT_EQ(moved, bytes);
  }
}

/// With weight and bias: 100 tensors.
Network fifty_layers() {
  Network network;
  network.layers = {linear_layer(10, 100, 1)};
  network.layers[0].repeat = 50;
  network.layers[0].bias = true;
  return network;
}

TEST(OptimizerKernels, LaunchesFollowFromTensorsAndParameters) {
  const Network network = fifty_layers();
  Framework framework;
  KernelRecipe update{.name = "update", .kind = StreamKind::optimizer};
  update.reads = {{1, PassTensor::w, "fp32"}};
  const auto kernels_with = [&](std::int64_t tensors, std::int64_t parameters) {
    update.tensors_per_launch = tensors;
    update.parameters_per_launch = parameters;
    framework.optimizers[0] = {update};
    return optimizer_kernels(network, framework);
  };
  EXPECT_EQ(kernels_with(0, 0).at(0).launches, 1);
  EXPECT_EQ(kernels_with(0, 0).at(0).work.read_bytes, 4 * 55'000);
  EXPECT_EQ(kernels_with(30, 0).at(0).launches, 4);
  EXPECT_EQ(kernels_with(30, 0).at(0).work.read_bytes, 55'000);
  EXPECT_EQ(kernels_with(30, 5'000).at(0).launches, 11);
  const auto single = kernels_with(1, 0);
  ASSERT_EQ(single.size(), 2U);
  EXPECT_EQ(single[0].launches, 50);
  EXPECT_EQ(single[0].work.read_bytes, 400);
  EXPECT_EQ(single[1].work.read_bytes, 4'000);
}

/// Chunks are of one tensor: 50 of the weights, 50 of the biases, five to a launch.
TEST(OptimizerKernels, ATensorHasWholeChunks) {
  const Network network = fifty_layers();
  Framework framework;
  framework.optimizers[0] = {{.name = "update", .reads = {{1, PassTensor::w, "fp32"}}}};
  framework.optimizers[0][0].parameters_per_launch = 5'000;
  framework.optimizers[0][0].rows_per_cta = 1'000;
  EXPECT_EQ(optimizer_kernels(network, framework).at(0).launches, 20);
}

/// More than 3072 tokens; positions are looked up once for all samples.
TEST(Pytorch211, GradientsOfManyRowsAreSorted) {
  Layer layer;
  layer.kind = LayerKind::embedding;
  layer.in_channels = 5000;
  layer.out_channels = 10;
  layer.height = 1537;
  const auto sorts = [&] {
    std::int64_t launches = 0;
    for (const StreamKernel& one :
         stream_kernels(layer, 2, DataType::bf16, load_framework("pytorch_2_11_eager"))) {
      if (one.name == "sort of the tokens backward") launches += one.launches;
    }
    return launches;
  };
  EXPECT_EQ(sorts(), 8);
  layer.same_rows = true;
  EXPECT_EQ(sorts(), 0);
}

TEST(Pytorch211, ThreeBranchesAreJoinedBehindABlock) {
  Layer layer = linear_layer(10, 100, 10);
  layer.after = {dropout, residual_add, layer_norm};
  const Framework compiled = load_framework("pytorch_2_11_compiled");
  const std::size_t one = stream_kernels(layer, 1, DataType::bf16, compiled).size();
  layer.role = LayerRole::ffn;
  EXPECT_EQ(stream_kernels(layer, 1, DataType::bf16, compiled).size(), one + 1);
  EXPECT_EQ(wave_kernels(layer, Phase::wgrad, 1, DataType::bf16, compiled).size(), 1U);
}

/// Kernels after a convolution with 1024 outputs, or a linear layer with 1000.
Lines after_conv(const std::string& framework, std::vector<StreamOp> ops) {
  Layer layer = conv_layer(4, 16, 8, 1, 1, 0);
  layer.after = std::move(ops);
  return lines(stream_kernels(layer, 1, DataType::fp16, load_framework(framework)));
}
Lines after_linear(const std::string& framework, std::vector<StreamOp> ops) {
  Layer layer = linear_layer(10, 100, 10);
  layer.after = std::move(ops);
  return lines(stream_kernels(layer, 1, DataType::fp16, load_framework(framework)));
}

/// Per element 8 + 1/8 bytes forward, 8 + 1/4 and 2 more for the other branch backward.
TEST(NvidiaTuned, NormalisationAdditionAndReluAreOneKernel) {
  EXPECT_EQ(after_conv("nvidia_tuned", {batch_norm, residual_add, relu}),
            (Lines{"normalisation: batch_norm with addition and relu forward r6144 w2176",
                   "normalisation: batch_norm with addition and relu backward r10496 w4096"}));
  EXPECT_EQ(after_conv("nvidia_tuned", {batch_norm, relu}),
            (Lines{"normalisation: batch_norm with relu forward r4096 w2176",
                   "normalisation: batch_norm with relu backward r8448 w2048"}));
}

/// Per element 9 bytes forward, 11 and 4 backward; bias and GELU 4, 6 and 2.
TEST(NvidiaTuned, DropoutAdditionAndNormalisationAreOneKernel) {
  EXPECT_EQ(after_linear("nvidia_tuned", {bias, dropout, residual_add, layer_norm}),
            (Lines{"normalisation: layer_norm with dropout and addition forward r4000 w5000",
                   "normalisation: layer_norm with dropout and addition backward r7000 w4000",
                   "normalisation: layer_norm parameters backward r4000 w0",
                   "bias: bias backward r2000 w0"}));
  EXPECT_EQ(
      after_linear("nvidia_tuned", {bias, gelu}),
      (Lines{"activation: gelu with bias forward r2000 w2000",
             "activation: gelu with bias backward r4000 w2000", "bias: bias backward r2000 w0"}));
}

/// 30 bytes less the unscaling: Adam in one pass moves 28 per parameter, SGD 20.
TEST(NvidiaTuned, AnOptimizerStepIsOneKernel) {
  Network network;
  network.other_parameters = 1000;
  const Framework framework = load_framework("nvidia_tuned");
  EXPECT_EQ(lines(optimizer_kernels(network, framework)),
            (Lines{"optimizer: fused sgd r10000 w10000"}));
  network.optimizer = Optimizer::adam;
  EXPECT_EQ(lines(optimizer_kernels(network, framework)),
            (Lines{"optimizer: fused adam r14000 w14000"}));
  network.optimizer = Optimizer::lamb;
  EXPECT_EQ(
      lines(optimizer_kernels(network, framework)),
      (Lines{"optimizer: norm of the gradients r2000 w0", "optimizer: lamb stage 1 r14000 w12000",
             "optimizer: lamb stage 2 r8000 w6000"}));
}

/// Normalisation and ReLU in one kernel, casts in none of their own, no mask of dropout kept.
TEST(PytorchCompiled, FusesWhatFollowsOnAnother) {
  EXPECT_EQ(after_conv("pytorch_compiled", {batch_norm, relu}),
            (Lines{"normalisation: batch_norm with relu forward r4096 w2048",
                   "normalisation: batch_norm with relu backward r12288 w2048"}));
  EXPECT_EQ(after_linear("pytorch_compiled", {dropout, residual_add, layer_norm}),
            (Lines{"normalisation: layer_norm with dropout and addition forward r6000 w6000",
                   "normalisation: layer_norm with dropout and addition backward r10000 w6000",
                   "normalisation: layer_norm parameters backward r6000 w0"}));
}

/// Scores stay on chip: nothing runs around the products of attention.
TEST(PytorchCompiled, FlashAttentionHasNoKernelsBesideItsProducts) {
  Layer scores = bmm_layer(20, 30, 10, 1);
  for (const auto& after : {std::vector{softmax}, std::vector{softmax, dropout}}) {
    scores.after = after;
    EXPECT_TRUE(
        stream_kernels(scores, 2, DataType::fp16, load_framework("pytorch_compiled")).empty());
  }
}

/// 256 inputs and 1024 outputs; 0.44 of them each way forward, twice that backward.
TEST(PytorchContiguous, TransposesWhatConvolutionsReadAndWrite) {
  EXPECT_EQ(
      after_conv("pytorch_contiguous", {}),
      (Lines{"layout: transposes forward r1128 w1128", "layout: transposes backward r2254 w2254"}));
}

/// Per element: normalisation 4, 6 and 4 bytes, addition 6 and 6, dropout 5 and 5, all in 16 bits.
TEST(PytorchFp16, KeepsEverythingIn16Bits) {
  EXPECT_EQ(
      after_linear("pytorch_fp16", {dropout, residual_add, layer_norm}),
      (Lines{"dropout: dropout forward r2000 w3000", "residual: residual_add forward r4000 w2000",
             "normalisation: layer_norm forward r2000 w2000",
             "normalisation: layer_norm backward r4000 w2000",
             "normalisation: layer_norm parameters backward r4000 w0",
             "residual: residual_add backward r4000 w2000",
             "dropout: dropout backward r3000 w2000"}));
  EXPECT_TRUE(
      weight_kernels(linear_layer(10, 100, 10), DataType::fp16, load_framework("pytorch_fp16"))
          .empty());
}

TEST(Passes, ReadAsTheyAreWritten) {
  for (const char* const text : {"", "x", "2 x + dy.fp32 + mask.bit", "0.25 y.int64"}) {
    EXPECT_EQ(to_string(passes_from_string(text).value()), text);
  }
  EXPECT_EQ(to_string(passes_from_string(" 2x+1 y ").value()), "2 x + y");
  for (const char* const text : {"x +", "+ x", "q", "x.fp64", "0 x", "-1 x", "x y", "nan x", "2"}) {
    EXPECT_FALSE(passes_from_string(text)) << text;
  }
}

}  // namespace
}  // namespace stcsim
