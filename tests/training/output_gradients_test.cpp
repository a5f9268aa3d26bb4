// Gradients of layers' outputs, kept and written.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include "pruning/npy.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/training/support.hpp"
#include "training/gemm_layer.hpp"
#include "training/model.hpp"
#include "training/saved_tensors.hpp"

namespace stcsim::training {
namespace {

TEST(OutputGradients, AreKeptAsBackwardGetsThem) {
  const auto seed = test::seed_or(1);
  SCOPED_TRACE("STCSIM_SEED=" + std::to_string(seed));
  at::manual_seed(seed);
  const Scheme scheme = load_scheme("mvue-2-4");  // prunes dY, for wgrad
  for (const Layer& layer : {linear_layer(16, 32, 8), conv_layer(4, 8, 6, 3, 1, 1)}) {
    GemmLayer gemm(layer, scheme, timeline_of(scheme), 1,
                   random_weight(layer).requires_grad_(true));
    gemm.prepare(0);
    const at::Tensor x = random_input(layer, 4);
    const auto run = [&] {
      const at::Tensor y = gemm.forward(x);
      const at::Tensor dy = at::randn(y.sizes());
      (y * dy).sum().backward();
      return dy;
    };
    run();
    EXPECT_FALSE(gemm.output_gradient().defined());
    gemm.keep_output_gradient();
    EXPECT_FALSE(gemm.output_gradient().defined());
    for (int step = 0; step < 2; ++step) {
      const at::Tensor dy = run();
      EXPECT_TRUE(gemm.output_gradient().equal(dy));
    }
    const at::NoGradGuard no_gradients;
    EXPECT_EQ(gemm.forward(x).size(0), 4);
  }
}

/// A step backward of a network, and the sum of the products of its logits and `direction`.
void step_back(Model& model, const Examples& examples, const at::Tensor& direction) {
  model.prepare(0);
  (model.forward(examples, true) * direction).sum().backward();
}

TEST(OutputGradients, AreWrittenAsRowsOfChannels) {
  at::manual_seed(3);
  const Network network = load_network("tiny_resnet9");
  const Scheme dense;
  Model model(network, dense, timeline_of(dense), 3);
  Examples examples{8, std::vector<float>(8 * 16 * 16 * 3), {}, std::vector<std::int64_t>(8)};
  const at::Tensor pixels = at::randn({8, 16, 16, 3});
  std::copy_n(pixels.data_ptr<float>(), pixels.numel(), examples.pixels.begin());
  const at::Tensor direction = at::randn({8, 10});
  const test::TemporaryDirectory directory;
  const auto file = [&](const char* layer) { return directory / "gradients" / layer; };

  step_back(model, examples, direction);
  save_gradients(directory / "gradients", model);
  EXPECT_FALSE(std::filesystem::exists(file("fc.npy")));

  model.keep_output_gradients();
  step_back(model, examples, direction);
  save_gradients(directory / "gradients", model);
  const pruning::Tensor logits = pruning::read_npy(file("fc.npy"));
  EXPECT_EQ(logits.shape, (std::vector<std::int64_t>{8, 10}));
  for (std::int64_t i = 0; i < 80; ++i) {
    EXPECT_EQ(logits.values[static_cast<std::size_t>(i)], direction.data_ptr<float>()[i]) << i;
  }
  // Of an image, a row is a pixel: conv1 has 16 x 16 of them, 16 channels.
  const pruning::Tensor first = pruning::read_npy(file("conv1.npy"));
  EXPECT_EQ(first.shape, (std::vector<std::int64_t>{8 * 16 * 16, 16}));
  const at::Tensor& kept = model.gemms().front().output_gradient();
  for (std::int64_t channel = 0; channel < 16; ++channel) {
    EXPECT_EQ(first.values[static_cast<std::size_t>((256 + 16 * 2 + 5) * 16 + channel)],
              kept[1][channel][2][5].item<float>());
  }
}

}  // namespace
}  // namespace stcsim::training
