#include "workloads/lowering.hpp"

#include <map>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/unit/workloads/sample_layers.hpp"

namespace stcsim {
namespace {

using enum OperandLayout;
using enum OutputLayout;

GemmProblem gemm(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch_count) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.batch_count = batch_count;
  return problem;
}

std::int64_t total_macs(const std::vector<GemmProblem>& problems) {
  std::int64_t macs = 0;
  for (const GemmProblem& problem : problems) macs += problem.macs();
  return macs;
}

TEST(Lower, LinearLayer) {
  const Layer layer = linear_layer(1024, 4096, 128);
  GemmProblem forward = gemm(4096, 8192, 1024, 1);
  forward.c_layout = column_major;
  GemmProblem dgrad = gemm(1024, 8192, 4096, 1);
  dgrad.a_layout = mn_major;
  dgrad.c_layout = column_major;
  GemmProblem wgrad = gemm(4096, 1024, 8192, 1);
  wgrad.a_layout = mn_major;
  wgrad.b_layout = mn_major;
  EXPECT_EQ(lower(layer, Phase::forward, 64), std::vector{forward});
  EXPECT_EQ(lower(layer, Phase::dgrad, 64), std::vector{dgrad});
  EXPECT_EQ(lower(layer, Phase::wgrad, 64), std::vector{wgrad});
}

TEST(Lower, ThreeByThreeConvolutionReusesEachActivationNineTimes) {
  const Layer layer = conv_layer(64, 128, 56, 3, 1, 1);
  GemmProblem forward = gemm(128, 256 * 56 * 56, 64 * 9, 1);
  forward.b = {.unique_rows = 0, .unique_k = 64};
  forward.c_layout = column_major;
  forward.convolution = ConvolutionPass{Phase::forward, 9};
  GemmProblem dgrad = gemm(64, 256 * 56 * 56, 128 * 9, 1);
  dgrad.b = {.unique_rows = 0, .unique_k = 128};
  dgrad.a_layout = mn_major;
  dgrad.c_layout = column_major;
  dgrad.convolution = ConvolutionPass{Phase::dgrad, 9};
  GemmProblem wgrad = gemm(128, 64 * 9, 256 * 56 * 56, 1);
  wgrad.b = {.unique_rows = 64, .unique_k = 0};
  wgrad.a_layout = mn_major;
  wgrad.b_layout = mn_major;
  wgrad.convolution = ConvolutionPass{Phase::wgrad, 9};
  EXPECT_EQ(lower(layer, Phase::forward, 256), std::vector{forward});
  EXPECT_EQ(lower(layer, Phase::dgrad, 256), std::vector{dgrad});
  EXPECT_EQ(lower(layer, Phase::wgrad, 256), std::vector{wgrad});
}

// resnet50 and regnetx_400mf of torchvision, resnet9: M, N, K and number of GEMMs by hand.
TEST(Lower, ForwardShapesOfPublishedLayers) {
  const auto forward = [](const Layer& layer, std::int64_t batch) {
    const GemmProblem problem = lower(layer, Phase::forward, batch).at(0);
    return gemm(problem.m, problem.n, problem.k, problem.batch_count);
  };
  EXPECT_EQ(forward(conv_layer(3, 64, 224, 7, 2, 3), 256), gemm(64, 3211264, 147, 1));
  EXPECT_EQ(forward(conv_layer(256, 512, 56, 1, 2, 0), 256), gemm(512, 200704, 256, 1));
  EXPECT_EQ(forward(conv_layer(512, 512, 14, 3, 2, 1), 256), gemm(512, 12544, 4608, 1));
  EXPECT_EQ(forward(conv_layer(128, 256, 32, 5, 2, 2), 512), gemm(256, 131072, 3200, 1));
  EXPECT_EQ(forward(conv_layer(512, 256, 8, 3, 1, 0), 512), gemm(256, 18432, 4608, 1));
  EXPECT_EQ(forward(conv_layer(3, 768, 224, 16, 16, 0), 256), gemm(768, 50176, 768, 1));
  EXPECT_EQ(forward(linear_layer(768, 50257, 1024), 8), gemm(50257, 8192, 768, 1));
  EXPECT_EQ(forward(bmm_layer(64, 197, 197, 12), 256), gemm(64, 197, 197, 3072));
  Layer grouped = conv_layer(400, 400, 14, 3, 2, 1);
  grouped.groups = 25;
  EXPECT_EQ(forward(grouped, 256), gemm(16, 12544, 144, 25));
}

TEST(Lower, GroupedConvolutionIsABatchOfGemms) {
  Layer layer = conv_layer(64, 128, 28, 3, 1, 1);
  layer.groups = 4;
  for (const Phase phase : kPhases) {
    const GemmProblem problem = lower(layer, phase, 8).at(0);
    EXPECT_EQ(problem.batch_count, 4);
    EXPECT_EQ(problem.macs(), 8 * layer.forward_macs());
  }
  EXPECT_EQ(lower(layer, Phase::forward, 8).at(0).b.unique_k, 16);
  EXPECT_EQ(lower(layer, Phase::dgrad, 8).at(0).b.unique_k, 32);
  EXPECT_EQ(lower(layer, Phase::wgrad, 8).at(0).b.unique_rows, 16);
}

TEST(Lower, NothingNeedsTheGradientOfTheNetworksInput) {
  Layer layer = conv_layer(3, 64, 224, 7, 2, 3);
  layer.needs_dgrad = false;
  EXPECT_TRUE(lower(layer, Phase::dgrad, 256).empty());
  EXPECT_EQ(lower(layer, Phase::wgrad, 256).size(), 1U);
  EXPECT_EQ(untouched_pixels(layer), 0);
}

TEST(Lower, AnEmbeddingIsLookedUp) {
  const Layer layer = embedding_layer(1000, 64, 7);
  for (const Phase phase : kPhases) EXPECT_TRUE(lower(layer, phase, 2).empty());
  EXPECT_EQ(untouched_pixels(layer), 0);
}

TEST(Lower, BatchedMatrixProducts) {
  const Layer layer = bmm_layer(128, 96, 64, 12);
  GemmProblem forward = gemm(128, 96, 64, 24);
  forward.c_layout = column_major;
  GemmProblem dgrad = gemm(64, 96, 128, 24);  // dB = A^T * dC
  dgrad.a_layout = mn_major;
  dgrad.c_layout = column_major;
  GemmProblem wgrad = gemm(128, 64, 96, 24);  // dA = dC * B^T
  wgrad.a_layout = mn_major;
  wgrad.b_layout = mn_major;
  EXPECT_EQ(lower(layer, Phase::forward, 2), std::vector{forward});
  EXPECT_EQ(lower(layer, Phase::dgrad, 2), std::vector{dgrad});
  EXPECT_EQ(lower(layer, Phase::wgrad, 2), std::vector{wgrad});
}

TEST(LowerStrided, ForwardReadsStrideSquaredNewPixelsPerOutput) {
  EXPECT_EQ(lower(conv_layer(3, 64, 224, 7, 2, 3), Phase::forward, 1).at(0).b.unique_k, 12);
  EXPECT_EQ(lower(conv_layer(64, 64, 56, 3, 2, 1), Phase::wgrad, 1).at(0).b.unique_rows, 256);
  // A 1x1 kernel and a patch embedding read every activation once.
  EXPECT_EQ(lower(conv_layer(64, 128, 56, 1, 2, 0), Phase::forward, 1).at(0).b, Footprint{});
  EXPECT_EQ(lower(conv_layer(3, 768, 224, 16, 16, 0), Phase::forward, 1).at(0).b, Footprint{});
}

TEST(LowerStrided, DgradOfAThreeByThreeHasThreeClassesOfPixels) {
  const Layer layer = conv_layer(128, 256, 28, 3, 2, 1);
  const std::int64_t pixels = 8 * 14 * 14;  // of each residue of (y mod 2, x mod 2)
  const std::vector<GemmProblem> problems = lower(layer, Phase::dgrad, 8);
  ASSERT_EQ(problems.size(), 3U);
  const std::int64_t expected[3][2] = {{pixels, 4}, {2 * pixels, 2}, {pixels, 1}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(problems[i].m, 128);
    EXPECT_EQ(problems[i].n, expected[i][0]);
    EXPECT_EQ(problems[i].k, 256 * expected[i][1]);
    EXPECT_EQ(problems[i].a_layout, mn_major);
  }
  // The merged class reads every output pixel twice; only one tap each reads it in the last.
  EXPECT_EQ(problems[0].b, (Footprint{0, 256}));
  EXPECT_EQ(problems[1].b, (Footprint{pixels, 256}));
  EXPECT_EQ(problems[2].b, (Footprint{0, 0}));
  EXPECT_EQ(untouched_pixels(layer), 0);
}

TEST(LowerStrided, DgradOfAOneByOneLeavesThreeQuartersUntouched) {
  const Layer layer = conv_layer(256, 512, 56, 1, 2, 0);
  const std::vector<GemmProblem> problems = lower(layer, Phase::dgrad, 4);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].n, 4 * 28 * 28);
  EXPECT_EQ(problems[0].k, 512);
  EXPECT_EQ(problems[0].b, Footprint{});
  EXPECT_EQ(untouched_pixels(layer), 3 * 28 * 28);
}

TEST(LowerStrided, UnpaddedDgradCountsTheRealInputPixels) {
  const Layer layer = conv_layer(512, 256, 8, 3, 1, 0);
  const std::vector<GemmProblem> problems = lower(layer, Phase::dgrad, 2);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].n, 2 * 64);
  EXPECT_EQ(problems[0].k, 256 * 9);
  EXPECT_EQ(problems[0].b, (Footprint{2 * 36, 256}));
}

/// Input pixels by number of taps, found by trying every tap of every pixel.
std::map<std::int64_t, std::int64_t> counted_classes(const Layer& layer) {
  const auto taps = [&](std::int64_t at, std::int64_t kernel) {
    std::int64_t count = 0;
    for (std::int64_t tap = 0; tap < kernel; ++tap) {
      const std::int64_t offset = at + layer.pad - tap;
      if (offset % layer.stride == 0) ++count;
    }
    return count;
  };
  std::map<std::int64_t, std::int64_t> classes;
  for (std::int64_t y = 0; y < layer.height; ++y) {
    for (std::int64_t x = 0; x < layer.width; ++x) {
      ++classes[taps(y, layer.kernel_height) * taps(x, layer.kernel_width)];
    }
  }
  return classes;
}

Layer random_conv(std::mt19937_64& random) {
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  Layer layer = conv_layer(draw(1, 9), draw(1, 9), 1, 1, draw(1, 5), draw(0, 4));
  layer.kernel_height = draw(1, 7);
  layer.kernel_width = draw(1, 7);
  layer.height = draw(layer.kernel_height, 25);
  layer.width = draw(layer.kernel_width, 25);
  return layer;
}

TEST(LowerStrided, ClassesAgreeWithTryingEveryTap) {
  constexpr std::uint64_t kSeed = 20240531;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  for (int trial = 0; trial < 500; ++trial) {
    const Layer layer = random_conv(random);
    auto expected = counted_classes(layer);
    EXPECT_EQ(untouched_pixels(layer), expected[0]);
    expected.erase(0);
    std::map<std::int64_t, std::int64_t> found;
    for (const GemmProblem& problem : lower(layer, Phase::dgrad, 3)) {
      found[problem.k / layer.out_channels] = problem.n / 3;
    }
    ASSERT_EQ(found, expected) << "trial " << trial;
  }
}

TEST(LowerStrided, DgradHasForwardsMacsWhereTheStrideDividesTheInput) {
  for (const std::int64_t stride : {1, 2, 3, 4}) {
    for (const std::int64_t kernel : {1, 2, 3, 5, 7}) {
      const std::int64_t pad = kernel > stride ? (kernel - stride + 1) / 2 : 0;
      const Layer layer = conv_layer(5, 7, 12 * stride, kernel, stride, pad);
      if (layer.out_height() != 12) continue;
      for (const Phase phase : kPhases) {
        EXPECT_EQ(total_macs(lower(layer, phase, 2)), 2 * layer.forward_macs())
            << to_string(phase) << " stride " << stride << " kernel " << kernel;
      }
    }
  }
}

TEST(Transposed, SwapsEverythingOfTheOperands) {
  GemmProblem problem = gemm(3, 5, 7, 2);
  problem.a = {1, 2};
  problem.b = {3, 4};
  problem.a_layout = mn_major;
  problem.c_layout = column_major;
  const GemmProblem result = transposed(problem);
  GemmProblem expected = gemm(5, 3, 7, 2);
  expected.a = {3, 4};
  expected.b = {1, 2};
  expected.b_layout = mn_major;
  EXPECT_EQ(result, expected);
  EXPECT_EQ(transposed(result), problem);
}

TEST(Transposed, RefusesASparseLeftOperand) {
  GemmProblem problem = gemm(3, 5, 7, 2);
  problem.a_pattern = Pattern{2, 4};
  EXPECT_THROW(static_cast<void>(transposed(problem)), std::invalid_argument);
}

}  // namespace
}  // namespace stcsim
