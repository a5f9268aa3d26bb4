#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/unit/workloads/sample_layers.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

/// A layer with 1000 output elements per sample, followed by `ops`.
Layer layer_with(std::vector<StreamOp> ops) {
  Layer layer = linear_layer(10, 100, 10);
  layer.after = std::move(ops);
  return layer;
}

/// What runs with the framework `ideal`.
std::vector<StreamKernel> ideal_kernels(const Layer& layer, std::int64_t batch, DataType dtype) {
  return stream_kernels(layer, batch, dtype, load_framework("ideal"));
}

/// One line per kernel: name, bytes read and written, vector operations.
std::vector<std::string> kernel_lines(const std::vector<StreamKernel>& kernels) {
  std::vector<std::string> result;
  for (const StreamKernel& kernel : kernels) {
    result.push_back(kernel.name + " r" + std::to_string(kernel.work.read_bytes) + " w" +
                     std::to_string(kernel.work.write_bytes) + " v" +
                     std::to_string(kernel.work.vector_ops));
  }
  return result;
}

using Lines = std::vector<std::string>;

Lines lines_of(std::vector<StreamOp> ops) {
  return kernel_lines(ideal_kernels(layer_with(std::move(ops)), 1, DataType::fp16));
}

TEST(StreamKernels, PassesOfEveryElementwiseOperation) {
  using enum StreamOp;
  EXPECT_EQ(lines_of({bias}), (Lines{"bias backward r2000 w0 v1000"}));
  EXPECT_EQ(lines_of({batch_norm}), (Lines{"batch_norm forward r4000 w2000 v3000",
                                           "batch_norm backward r8000 w2000 v5000"}));
  EXPECT_EQ(lines_of({layer_norm}), (Lines{"layer_norm forward r2000 w2000 v4000",
                                           "layer_norm backward r8000 w2000 v8000"}));
  EXPECT_EQ(lines_of({relu}),
            (Lines{"relu forward r2000 w2000 v1000", "relu backward r4000 w2000 v1000"}));
  EXPECT_EQ(lines_of({gelu}),
            (Lines{"gelu forward r2000 w2000 v8000", "gelu backward r4000 w2000 v12000"}));
  EXPECT_EQ(lines_of({softmax}),
            (Lines{"softmax forward r2000 w2000 v5000", "softmax backward r4000 w2000 v3000"}));
  EXPECT_EQ(lines_of({residual_add}), (Lines{"residual_add forward r4000 w2000 v1000",
                                             "residual_add backward r4000 w2000 v1000"}));
}

/// Nothing to update: products of activations alone.
TEST(StreamKernels, ANetworkWithoutParametersHasNoUpdate) {
  Network network;
  Layer product;
  product.kind = LayerKind::bmm;
  product.bmm_m = product.bmm_n = product.bmm_k = 64;
  network.layers = {product};
  for (const Optimizer optimizer : {Optimizer::sgd_momentum, Optimizer::adam, Optimizer::lamb}) {
    network.optimizer = optimizer;
    EXPECT_TRUE(optimizer_kernels(network, load_framework("pytorch_eager"), {}).empty());
  }
}

TEST(StreamKernels, DropoutKeepsAByteOfMaskPerElement) {
  EXPECT_EQ(lines_of({StreamOp::dropout}),
            (Lines{"dropout forward r2000 w3000 v17000", "dropout backward r3000 w2000 v1000"}));
}

TEST(StreamKernels, MaskBytesDoNotDependOnTheElementSize) {
  const auto kernels = ideal_kernels(layer_with({StreamOp::dropout}), 1, DataType::tf32);
  EXPECT_EQ(kernel_lines(kernels),
            (Lines{"dropout forward r4000 w5000 v17000", "dropout backward r5000 w4000 v1000"}));
}

/// What a GEMM writes is int32, what the next one reads int4, two elements to a byte: only the
/// first kernel that is not part of the GEMM reads the former, also in the backward pass.
TEST(StreamKernels, Int4IsInt32OnlyWhereItComesFromTheGemm) {
  using enum StreamOp;
  EXPECT_EQ(
      kernel_lines(ideal_kernels(layer_with({bias, relu, gelu, layer_norm}), 1, DataType::int4)),
      (Lines{"gelu forward r4000 w500 v8000", "layer_norm forward r500 w500 v4000",
             "layer_norm backward r2000 w500 v8000", "gelu backward r4500 w500 v12000",
             "bias backward r1000 w0 v2000"}));
  EXPECT_EQ(kernel_lines(ideal_kernels(layer_with({softmax, softmax}), 1, DataType::int8)),
            (Lines{"softmax forward r1000 w1000 v5000", "softmax forward r1000 w1000 v5000",
                   "softmax backward r2000 w1000 v3000", "softmax backward r2000 w1000 v3000"}));
  EXPECT_EQ(kernel_lines(ideal_kernels(layer_with({softmax}), 1, DataType::fp8_e4m3)),
            lines_of({softmax}));
}

TEST(StreamKernels, MaxPoolKeepsAQuarter) {
  EXPECT_EQ(lines_of({StreamOp::max_pool}),
            (Lines{"max_pool forward r2000 w500 v2250", "max_pool backward r3000 w2000 v2250"}));
}

TEST(StreamKernels, AvgPoolKeepsOneElementPerChannel) {
  Layer layer = conv_layer(4, 32, 7, 1, 1, 0);
  layer.after = {StreamOp::avg_pool};
  EXPECT_EQ(kernel_lines(ideal_kernels(layer, 2, DataType::fp16)),
            (Lines{"avg_pool forward r6272 w128 v3136", "avg_pool backward r128 w6272 v3136"}));
}

TEST(StreamKernels, WhatFollowsAPoolWorksOnTheSmallerTensor) {
  Layer layer = conv_layer(4, 32, 8, 1, 1, 0);
  layer.after = {StreamOp::max_pool, StreamOp::gelu, StreamOp::avg_pool};
  const auto kernels = kernel_lines(ideal_kernels(layer, 1, DataType::fp16));
  EXPECT_EQ(kernels.at(1), "gelu forward r1024 w1024 v4096");
  EXPECT_EQ(kernels.at(2), "avg_pool forward r1024 w64 v512");
}

/// Backward needs the sign of y: batch normalisation finds it from x, the others read y.
TEST(StreamKernels, ReluIsPartOfTheKernelBeforeIt) {
  using enum StreamOp;
  EXPECT_EQ(lines_of({batch_norm, relu}), lines_of({batch_norm}));
  EXPECT_EQ(lines_of({bias, relu}), (Lines{"bias backward r4000 w0 v2000"}));
  EXPECT_EQ(lines_of({residual_add, relu}), (Lines{"residual_add forward r4000 w2000 v1000",
                                                   "residual_add backward r6000 w2000 v2000"}));
  EXPECT_EQ(lines_of({max_pool, relu}).size(), 4U);
  EXPECT_EQ(lines_of({batch_norm, relu, relu}).size(), 4U);
}

TEST(StreamKernels, BackwardRunsInTheOppositeOrder) {
  using enum StreamOp;
  std::vector<std::string> names;
  std::vector<bool> backward;
  for (const StreamKernel& kernel :
       ideal_kernels(layer_with({bias, dropout, gelu}), 1, DataType::fp16)) {
    names.push_back(kernel.name);
    backward.push_back(kernel.backward);
  }
  EXPECT_EQ(names, (Lines{"dropout forward", "gelu forward", "gelu backward", "dropout backward",
                          "bias backward"}));
  EXPECT_EQ(backward, (std::vector<bool>{false, false, true, true, true}));
}

TEST(StreamKernels, CountTheWholeBatchOfOneRepeat) {
  Layer layer = layer_with({StreamOp::softmax});
  layer.repeat = 7;
  EXPECT_EQ(kernel_lines(ideal_kernels(layer, 3, DataType::fp16)).at(0),
            "softmax forward r6000 w6000 v15000");
}

TEST(StreamKernels, StridedDgradFillsUntouchedPixelsWithZeros) {
  Layer layer = conv_layer(256, 512, 56, 1, 2, 0);
  EXPECT_EQ(kernel_lines(ideal_kernels(layer, 4, DataType::fp16)),
            (Lines{"zero_fill backward r0 w" + std::to_string(4 * 3 * 28 * 28 * 256 * 2) + " v0"}));
  layer.needs_dgrad = false;
  EXPECT_TRUE(ideal_kernels(layer, 4, DataType::fp16).empty());
}

/// 2 x 7 row numbers of 8 bytes, as many rows of 64 elements; the dense gradient of PyTorch has the
/// table's size.
TEST(StreamKernels, AnEmbeddingReadsAndUpdatesItsRows) {
  const Layer layer = embedding_layer(1000, 64, 7);
  EXPECT_EQ(
      kernel_lines(ideal_kernels(layer, 2, DataType::fp16)),
      (Lines{"look-up forward r1904 w1792 v0", "gradient of the rows backward r1904 w1792 v0"}));
  const Framework eager = load_framework("pytorch_eager");
  EXPECT_EQ(
      kernel_lines(stream_kernels(layer, 2, DataType::fp16, eager)),
      (Lines{"look-up forward r3696 w3584 v0", "zero fill of the gradient backward r0 w256000 v0",
             "gradient of the rows backward r3696 w3584 v0"}));
  EXPECT_TRUE(weight_kernels(layer, DataType::fp16, eager).empty());
}

TEST(OptimizerKernel, SgdMomentumMovesTenBytesEachWay) {
  Network network;
  network.layers = {linear_layer(10, 100, 1)};
  network.other_parameters = 24;
  EXPECT_EQ(kernel_lines(optimizer_kernels(network, load_framework("ideal"))),
            (Lines{"sgd_momentum update r10240 w10240 v4096"}));
}

TEST(OptimizerKernel, AdamKeepsOneMoreState) {
  Network network;
  network.optimizer = Optimizer::adam;
  network.other_parameters = 1000;
  EXPECT_EQ(kernel_lines(optimizer_kernels(network, load_framework("ideal"))),
            (Lines{"adam update r14000 w14000 v11000"}));
}

/// The grid of the kernel of that name after a linear layer of 100 channels, 10 tokens.
StreamGrid grid_of(const std::string& framework, StreamOp op, const std::string& name,
                   DataType dtype) {
  const Layer layer = layer_with({op});
  for (const StreamKernel& kernel : stream_kernels(layer, 3, dtype, load_framework(framework))) {
    if (kernel.name == name) return kernel.work.grid;
  }
  ADD_FAILURE() << "no " << name;
  return {};
}

TEST(StreamKernels, OfChannelsHaveFewCtasThatLoop) {
  using enum StreamOp;
  // A CTA per channel, an element of x per thread; going backward, of x and of dy.
  EXPECT_EQ(grid_of("pytorch_contiguous", batch_norm, "batch_norm forward", DataType::fp16),
            (StreamGrid{100, 512, 512 * 2, 2}));
  EXPECT_EQ(grid_of("pytorch_contiguous", batch_norm, "batch_norm backward", DataType::fp16),
            (StreamGrid{100, 512, 512 * 4, 2}));
  EXPECT_EQ(grid_of("pytorch_contiguous", batch_norm, "batch_norm backward", DataType::tf32),
            (StreamGrid{100, 512, 512 * 8, 2}));
  // 32 columns each, the last CTA four; two rows of fp32 x and dy per thread.
  EXPECT_EQ(
      grid_of("pytorch_1_eager", layer_norm, "layer_norm parameters backward", DataType::fp16),
      (StreamGrid{4, 512, 2 * 512 * 8, 1}));
  EXPECT_EQ(grid_of("pytorch_eager", batch_norm, "batch_norm forward", DataType::fp16),
            StreamGrid());
}

/// 30 rows of 100 numbers, which lie in memory as fp32, x forward, x and dy backward: one trip.
TEST(StreamKernels, LayerNormalisationGoesOverEachRowTwice) {
  using enum StreamOp;
  EXPECT_EQ(grid_of("pytorch_eager", layer_norm, "layer_norm forward", DataType::fp16),
            (StreamGrid{30, 128, 400, 2}));
  EXPECT_EQ(grid_of("pytorch_eager", layer_norm, "layer_norm backward", DataType::fp16),
            (StreamGrid{30, 128, 800, 2}));
}

/// Of softmax over 7 rows of so many 16-bit numbers.
StreamGrid softmax_grid(std::int64_t columns) {
  Layer layer = bmm_layer(7, columns, 8, 1);
  layer.after = {StreamOp::softmax};
  StreamGrid grid;
  int softmaxes = 0;
  const Framework eager = load_framework("pytorch_eager");
  for (const StreamKernel& kernel : stream_kernels(layer, 1, DataType::fp16, eager)) {
    if (kernel.name != "softmax forward") continue;
    ++softmaxes;
    grid = kernel.work.grid;
    EXPECT_EQ(kernel.work.read_bytes, (columns > 1024 ? 3 : 1) * 7 * columns * 2);
  }
  EXPECT_EQ(softmaxes, 1) << columns;
  return grid;
}

/// Four numbers per thread at a time, of the rest one: 1600 are 4 x 256 and 576, which take three
/// trips more; 3072 are 4 x 512 and 2 x 512.
TEST(StreamKernels, LongRowsOfSoftmaxAreReadThreeTimes) {
  EXPECT_EQ(softmax_grid(1024), StreamGrid());
  EXPECT_EQ(softmax_grid(1600), (StreamGrid{7, 256, 3200 / 4, 3}));
  EXPECT_EQ(softmax_grid(2048), (StreamGrid{7, 256, 4096 / 2, 3}));
  EXPECT_EQ(softmax_grid(3072), (StreamGrid{7, 512, 6144 / 3, 3}));
  EXPECT_EQ(softmax_grid(8192), (StreamGrid{7, 512, 16384 / 4, 3}));
}

/// Rows of 2089 numbers begin anywhere: 512 are read one by one before the others lie on 16 bytes,
/// of which there are too few for four per thread: 4 trips more. Of 4001 it is 1, 1 and 3.
TEST(StreamKernels, RowsThatDoNotLieOn16BytesTakeATripMore) {
  EXPECT_EQ(softmax_grid(2089), (StreamGrid{7, 512, 836, 3}));
  EXPECT_EQ(softmax_grid(4001), (StreamGrid{7, 512, 1601, 3}));
}

const StreamKernel& kernel_of(const std::vector<StreamKernel>& kernels, const std::string& name) {
  for (const StreamKernel& kernel : kernels) {
    if (kernel.name == name) return kernel;
  }
  throw std::out_of_range(name);
}

/// PyTorch's sums of a bias: 128 columns a CTA, whose rows are shared until the machine is full;
/// statistics of a batch: at most 128 share.
TEST(StreamKernels, SumsAlongColumnsShareTheirRows) {
  const Framework framework = load_framework("pytorch_2_11_eager");
  Layer linear = linear_layer(64, 1000, 4096);
  linear.after = {StreamOp::bias};
  const auto of_bias = stream_kernels(linear, 3, DataType::bf16, framework);
  const StreamGrid& bias = kernel_of(of_bias, "bias backward").work.grid;
  EXPECT_EQ(bias.columns, 8);  // 1000 / 128
  EXPECT_EQ(bias.ctas, 8 * 3 * 4096 / 64);
  EXPECT_EQ(bias.trip_bytes, 128 * 16 * 2);
  EXPECT_EQ(bias.sum_threads, 4);
  EXPECT_TRUE(bias.at_a_time);
  EXPECT_GT(bias.thread_ops, 0);
  linear.after = {StreamOp::batch_norm};
  const auto of_norm = stream_kernels(linear, 256, DataType::bf16, framework);
  const StreamGrid& sums = kernel_of(of_norm, "batch_norm statistics forward").work.grid;
  EXPECT_EQ(sums.ctas, 32 * 128);
  EXPECT_EQ(sums.sum_threads, 16);
  EXPECT_FALSE(sums.at_a_time);
  const StreamGrid& writes = kernel_of(of_norm, "batch_norm forward").work.grid;
  EXPECT_EQ(writes.ctas, 32 * 128);
  EXPECT_EQ(writes.sum_threads, 0);  // each row is written where it is read
}

/// Layers that open a branch cast what they read, those that end it do not; one that makes queries,
/// keys and values at once has their gradients joined, unless they are unbound.
TEST(StreamKernels, ABranchCastsTheNormOfTheResidualStream) {
  const Framework framework = load_framework("pytorch_2_11_eager");
  const auto names = [&](std::int64_t out, LayerRole role, std::vector<StreamOp> after) {
    Layer layer = linear_layer(64, out, 16);
    layer.role = role;
    layer.after = std::move(after);
    std::string text;
    for (const StreamKernel& kernel : stream_kernels(layer, 1, DataType::bf16, framework)) {
      text += kernel.name + "; ";
    }
    return text;
  };
  using enum StreamOp;
  EXPECT_EQ(names(64, LayerRole::ffn, {residual_add}),
            "residual_add forward; cast of the gradient backward; ");
  EXPECT_EQ(names(64, LayerRole::attention, {}),
            "cast of the input forward; cast of the input backward; gradients joined backward; ");
  EXPECT_EQ(names(192, LayerRole::attention, {}),
            "cast of the input forward; gradients joined backward; cast of the input backward; "
            "gradients joined backward; ");
  EXPECT_EQ(names(192, LayerRole::attention, {unbind}),
            "cast of the input forward; gradients stacked backward; gradients copied backward; "
            "cast of the input backward; gradients joined backward; ");
  EXPECT_EQ(names(10, LayerRole::classifier, {}),
            "cast of the input forward; cast of the input backward; ");
}

/// A framework without kernels for an operation runs those of its like.
TEST(StreamKernels, AnUnknownOperationCostsWhatItsLikeDoes) {
  EXPECT_EQ(lines_of({StreamOp::gelu_new}), lines_of({StreamOp::gelu_tanh}));
  Layer head = layer_with({StreamOp::softmax_fp32});
  head.role = LayerRole::classifier;
  Layer same = head;
  same.after = {StreamOp::softmax};
  EXPECT_EQ(kernel_lines(ideal_kernels(head, 1, DataType::fp16)),
            kernel_lines(ideal_kernels(same, 1, DataType::fp16)));
  const Framework own = load_framework("pytorch_2_11_eager");
  EXPECT_NE(kernel_lines(stream_kernels(head, 1, DataType::bf16, own)),
            kernel_lines(stream_kernels(same, 1, DataType::bf16, own)));
}

}  // namespace
}  // namespace stcsim
