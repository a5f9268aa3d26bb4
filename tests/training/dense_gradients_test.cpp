#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include "tests/support/seed.hpp"
#include "tests/training/support.hpp"
#include "training/gemm_layer.hpp"
#include "training/model.hpp"

namespace stcsim::training {
namespace {

at::Tensor leaf(const at::Tensor& start) {
  return start.detach().clone().requires_grad_(true);
}

/// Output and gradients of a layer; `run` makes the output of an input and a weight.
template <class Run>
std::vector<at::Tensor> results(const at::Tensor& x, const at::Tensor& weight, Run run) {
  const at::Tensor own_x = leaf(x);
  const at::Tensor own_weight = leaf(weight);
  const at::Tensor y = run(own_x, own_weight);
  at::manual_seed(7);
  (y * at::randn(y.sizes())).sum().backward();
  return {y.detach(), own_x.grad(), own_weight.grad()};
}

void expect_libtorchs_own(const Layer& layer, std::int64_t samples) {
  const Scheme dense;
  const at::Tensor x = random_input(layer, samples);
  const at::Tensor weight = random_weight(layer);
  const auto own = results(x, weight, [&](const at::Tensor& input, const at::Tensor& leaf_weight) {
    static std::deque<GemmLayer> layers;  // must outlive backward
    layers.emplace_back(layer, dense, timeline_of(dense), 1, leaf_weight);
    layers.back().prepare(0);
    return layers.back().forward(input);
  });
  const auto reference = results(x, weight, [&](const at::Tensor& input, const at::Tensor& w) {
    if (layer.kind == LayerKind::linear) return at::linear(input, w);
    return at::conv2d(input, w, {}, layer.stride, layer.pad, 1, layer.groups);
  });
  const std::array<const char*, 3> names{"output", "input gradient", "weight gradient"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    expect_close(own[i], reference[i],
                 std::string(names[i]) + " of " + std::string(to_string(layer.kind)) + " stride " +
                     std::to_string(layer.stride) + " samples " + std::to_string(samples));
  }
}

TEST(DenseGradients, OfConvolutionsAreLibtorchsOwn) {
  const auto seed = test::seed_or(1);
  SCOPED_TRACE("STCSIM_SEED=" + std::to_string(seed));
  at::manual_seed(seed);
  Layer grouped = conv_layer(8, 16, 6, 3, 1, 1);
  grouped.groups = 4;
  for (const Layer& layer : {conv_layer(3, 16, 16, 3, 1, 1), conv_layer(16, 32, 16, 3, 2, 1),
                             conv_layer(5, 7, 9, 3, 2, 0), conv_layer(8, 8, 7, 5, 3, 2),
                             conv_layer(4, 6, 5, 1, 1, 0), conv_layer(4, 6, 5, 1, 2, 0), grouped}) {
    for (const std::int64_t samples : {1, 3, 32}) expect_libtorchs_own(layer, samples);
  }
}

TEST(DenseGradients, OfLinearLayersAreLibtorchsOwn) {
  const auto seed = test::seed_or(1);
  SCOPED_TRACE("STCSIM_SEED=" + std::to_string(seed));
  at::manual_seed(seed);
  for (const Layer& layer :
       {linear_layer(64, 10, 1), linear_layer(64, 128, 32), linear_layer(7, 5, 3)}) {
    for (const std::int64_t samples : {1, 5, 32}) expect_libtorchs_own(layer, samples);
  }
}

class DenseModel : public ::testing::Test {
 protected:
  /// Gradients of all parameters by the model and by `reference`, which computes the same logits of
  /// the same parameters: weights, then others.
  template <class Reference>
  static void expect_same(const char* name, const Examples& examples, Reference reference) {
    const Network network = load_network(name);
    const Scheme dense;
    Model model(network, dense, timeline_of(dense), 3);
    std::vector<at::Tensor> parameters = model.weights();
    parameters.insert(parameters.end(), model.others().begin(), model.others().end());
    model.prepare(0);
    const at::Tensor logits = model.forward(examples, true);
    const at::Tensor direction = at::randn(logits.sizes());
    (logits * direction).sum().backward();
    std::vector<at::Tensor> own;
    for (const at::Tensor& parameter : parameters) {
      own.push_back(parameter.grad().clone());
      parameter.mutable_grad() = at::Tensor();
    }
    const at::Tensor wanted = reference(model);
    expect_close(logits.detach(), wanted.detach(), "logits");
    (wanted * direction).sum().backward();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const double scale = parameters[i].grad().abs().max().item<double>();
      const double apart = (own[i] - parameters[i].grad()).abs().max().item<double>();
      // The bias of keys has no effect: its gradient is rounding alone.
      EXPECT_LE(apart, 1e-4 * scale + 1e-5) << "parameter " << i << " of shape " << own[i].sizes();
    }
  }
};

TEST_F(DenseModel, ResidualNetworkIsTheOneWrittenByHand) {
  at::manual_seed(5);
  Examples examples{8, std::vector<float>(8 * 16 * 16 * 3), {}, std::vector<std::int64_t>(8)};
  const at::Tensor pixels = at::randn({8, 16, 16, 3});
  std::copy_n(pixels.data_ptr<float>(), pixels.numel(), examples.pixels.begin());
  expect_same("tiny_resnet9", examples, [&](const Model& model) {
    const std::vector<at::Tensor> w = model.weights();
    const std::vector<at::Tensor>& o = model.others();
    const auto block = [&](const at::Tensor& x, std::size_t i, int stride) {
      const at::Tensor y = at::conv2d(x, w[i], {}, stride, 1);
      return at::relu(at::batch_norm(y, o[2 * i], o[2 * i + 1], {}, {}, true, 0.1, 1e-5, false));
    };
    at::Tensor x = block(pixels.permute({0, 3, 1, 2}), 0, 1);
    x = block(x, 1, 2);
    x = x + block(block(x, 2, 1), 3, 1);
    x = block(x, 4, 2);
    x = x + block(block(x, 5, 1), 6, 1);
    return at::linear(x.mean({2, 3}), w[7], o[14]);
  });
}

/// What of the others belongs to the linear layers and normalisations of the small Transformer, in
/// the order the file names them.
struct TransformerByHand {
  const std::vector<at::Tensor> weights;
  const std::vector<at::Tensor>& others;
  const at::Tensor& tokens;
  std::size_t next_weight = 0;
  std::size_t next_other = 0;

  at::Tensor linear(const at::Tensor& x) {
    return at::linear(x, weights[next_weight++], others[next_other++]);
  }
  static at::Tensor heads(const at::Tensor& x) {
    return x.view({x.size(0), 32, 4, 16}).transpose(1, 2);
  }
  /// A layer's normalisation is among the others before its bias.
  at::Tensor normalised_after(const at::Tensor& x, std::size_t at) const {
    return at::layer_norm(x, {64}, others[at], others[at + 1], 1e-5);
  }

  at::Tensor logits() {
    const std::size_t end = others.size();
    at::Tensor x = at::embedding(others[end - 4], tokens) + others[end - 3];
    at::Tensor normal = normalised_after(x, end - 2);
    for (int layer = 0; layer < 2; ++layer) {
      const at::Tensor q = heads(linear(normal));
      const at::Tensor k = heads(linear(normal));
      const at::Tensor v = heads(linear(normal));
      const at::Tensor mask = at::ones({32, 32}).tril().log();
      const at::Tensor p = at::softmax(at::matmul(q, k.transpose(2, 3)) / 4.0 + mask, -1);
      const at::Tensor mixed = at::matmul(p, v).transpose(1, 2).reshape({-1, 32, 64});
      x = x + before_norm(mixed);
      const at::Tensor hidden = at::relu(linear(normalised(x)));
      x = x + before_norm(hidden);
      normal = normalised(x);
    }
    return linear(normal);
  }

  /// A linear whose normalisation's scale and shift come before its bias.
  at::Tensor before_norm(const at::Tensor& x) {
    norm_at = next_other;
    next_other += 2;
    return linear(x);
  }
  at::Tensor normalised(const at::Tensor& x) const { return normalised_after(x, norm_at); }
  std::size_t norm_at = 0;
};

TEST_F(DenseModel, TransformerIsTheOneWrittenByHand) {
  at::manual_seed(6);
  const at::Tensor tokens = at::randint(16, {4, 32}, at::TensorOptions().dtype(at::kLong));
  Examples examples{4, {}, std::vector<std::int64_t>(4 * 32), std::vector<std::int64_t>(4 * 32)};
  std::copy_n(tokens.data_ptr<std::int64_t>(), tokens.numel(), examples.tokens.begin());
  expect_same("tiny_transformer", examples, [&](const Model& model) {
    return TransformerByHand{model.weights(), model.others(), tokens}.logits();
  });
}

}  // namespace
}  // namespace stcsim::training
