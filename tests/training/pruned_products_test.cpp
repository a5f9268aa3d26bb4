#include <deque>
#include <functional>
#include <set>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include "pruning/matrix.hpp"
#include "pruning/mvue.hpp"
#include "pruning/prune.hpp"
#include "tests/support/seed.hpp"
#include "tests/training/support.hpp"
#include "training/gemm_layer.hpp"
#include "training/operand_pruners.hpp"

namespace stcsim::training {
namespace {

/// One number of a tensor of four axes, and where it is written to.
double at4(const at::Tensor& t, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  return t.accessor<float, 4>()[a][b][c][d];
}

struct Products {
  at::Tensor y, dx, dw;
};

/// The three products by their definitions, in fp64, of a convolution without groups.
struct PlainConvolution {
  const Layer& layer;
  std::int64_t samples;

  template <class Body>
  void for_each_product(Body body) const {
    for (std::int64_t b = 0; b < samples; ++b) {
      for (std::int64_t o = 0; o < layer.out_channels; ++o) {
        for (std::int64_t i = 0; i < layer.out_height(); ++i) {
          for (std::int64_t j = 0; j < layer.out_width(); ++j) for_each_tap(b, o, i, j, body);
        }
      }
    }
  }

  template <class Body>
  void for_each_tap(std::int64_t b, std::int64_t o, std::int64_t i, std::int64_t j,
                    Body body) const {
    for (std::int64_t r = 0; r < layer.kernel_height; ++r) {
      for (std::int64_t s = 0; s < layer.kernel_width; ++s) {
        const std::int64_t row = i * layer.stride + r - layer.pad;
        const std::int64_t column = j * layer.stride + s - layer.pad;
        if (row < 0 || row >= layer.height || column < 0 || column >= layer.width) continue;
        for (std::int64_t c = 0; c < layer.in_channels; ++c) body(b, o, i, j, r, s, row, column, c);
      }
    }
  }
};

/// As images of one row of pixels, a linear is a 1x1 convolution.
at::Tensor as_image(const at::Tensor& tensor) {
  if (tensor.dim() == 4) return tensor.contiguous();
  const std::int64_t tokens = tensor.dim() == 3 ? tensor.size(1) : 1;
  return tensor.reshape({tensor.size(0), tokens, 1, tensor.size(-1)})
      .permute({0, 3, 1, 2})
      .contiguous();
}

at::Tensor as_filter(const at::Tensor& weight) {
  return weight.dim() == 4 ? weight.contiguous()
                           : weight.reshape({weight.size(0), weight.size(1), 1, 1});
}

struct Operands {
  at::Tensor forward_x, forward_w, dgrad_dy, dgrad_w, wgrad_dy, wgrad_x;
};

Products plain_products(const Layer& layer, const Operands& operands) {
  const at::Tensor x = as_image(operands.forward_x);
  const at::Tensor w = as_filter(operands.forward_w);
  const at::Tensor dgrad_dy = as_image(operands.dgrad_dy);
  const at::Tensor dgrad_w = as_filter(operands.dgrad_w);
  const at::Tensor wgrad_dy = as_image(operands.wgrad_dy);
  const at::Tensor wgrad_x = as_image(operands.wgrad_x);
  const auto zeros = [](const at::Tensor& like) { return at::zeros_like(like, at::kDouble); };
  Products out{zeros(dgrad_dy), zeros(x), zeros(w)};
  auto y = out.y.accessor<double, 4>();
  auto dx = out.dx.accessor<double, 4>();
  auto dw = out.dw.accessor<double, 4>();
  PlainConvolution{layer, x.size(0)}.for_each_product(
      [&](auto b, auto o, auto i, auto j, auto r, auto s, auto row, auto column, auto c) {
        y[b][o][i][j] += at4(w, o, c, r, s) * at4(x, b, c, row, column);
        dx[b][c][row][column] += at4(dgrad_w, o, c, r, s) * at4(dgrad_dy, b, o, i, j);
        dw[o][c][r][s] += at4(wgrad_dy, b, o, i, j) * at4(wgrad_x, b, c, row, column);
      });
  return out;
}

/// A layer with a scheme, run forward and backward once.
struct Trial {
  Layer layer;
  Scheme scheme;
  at::Tensor x, weight, dy;
  std::deque<GemmLayer> gemm;
  at::Tensor y;

  Trial(const Layer& own_layer, const Scheme& own_scheme, std::int64_t step)
      : layer(own_layer), scheme(own_scheme.of(own_layer)) {
    x = random_input(layer, 4).requires_grad_(true);
    weight = random_weight(layer).requires_grad_(true);
    gemm.emplace_back(layer, scheme, timeline_of(scheme), 11, weight);
    gemm.front().prepare(step);
    y = gemm.front().forward(x);
    dy = at::randn(y.sizes());
    y.backward(dy);
  }

  [[nodiscard]] Operands operands() const {
    const GemmLayer& own = gemm.front();
    const at::Tensor input = x.detach();
    return {own.operand(Phase::forward, Tensor::activation, input),
            own.forward_weight(),
            own.operand(Phase::dgrad, Tensor::output_gradient, dy),
            own.dgrad_weight(),
            own.operand(Phase::wgrad, Tensor::output_gradient, dy),
            own.operand(Phase::wgrad, Tensor::activation, input)};
  }
};

std::int64_t violations(const pruning::Tensor& tensor, std::size_t axis, Pattern pattern) {
  return pruning::count_violations(pruning::to_planes(tensor, {axis, {}}).front(), pattern);
}

/// Along the input channels, or output channels of a gradient; without a rule it is as it was.
void expect_pruned(const at::Tensor& tensor, const at::Tensor& before, const PhaseSparsity* rule) {
  EXPECT_EQ(tensor.equal(before), rule == nullptr);
  if (rule != nullptr) {
    EXPECT_EQ(violations(to_plain(tensor), 3, rule->pattern), 0);
  }
}

void expect_pruned_along_tokens(const at::Tensor& tensor, const at::Tensor& before,
                                const PhaseSparsity* rule) {
  const pruning::Tensor plain = to_plain(tensor);
  const pruning::Tensor all = to_plain(before);
  const std::int64_t channels = plain.shape.back();
  const std::int64_t dense =
      rule == nullptr ? channels : dense_channels(rule->dense_share, channels);
  pruning::Tensor rows{{std::ssize(plain.values) / channels, channels}, plain.values};
  std::int64_t as_before = 0;
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    bool is_equal = true;
    for (std::size_t at = as_size(channel); at < all.values.size(); at += as_size(channels)) {
      is_equal = is_equal && plain.values[at] == all.values[at];
    }
    as_before += is_equal ? 1 : 0;
    for (std::size_t at = as_size(channel); is_equal && at < all.values.size();
         at += as_size(channels)) {
      rows.values[at] = 0;
    }
  }
  EXPECT_EQ(as_before, dense);
  if (rule != nullptr) {
    EXPECT_EQ(violations(rows, 0, rule->pattern), 0);
  }
}

/// The pattern holds along the axis over which the phase's product reduces; the rest of the
/// operands is as it was.
void expect_patterns(const Trial& trial, std::int64_t step) {
  const Operands own = trial.operands();
  const auto rule = [&](Phase phase) -> const PhaseSparsity* {
    const bool sparse = timeline_of(trial.scheme).is_sparse(step);
    if (!sparse || !prunes(trial.scheme, trial.layer, phase)) return nullptr;
    return &*trial.scheme.rule(phase).sparsity;
  };
  const PhaseSparsity* const forward = rule(Phase::forward);
  const PhaseSparsity* const dgrad = rule(Phase::dgrad);
  const PhaseSparsity* const wgrad = rule(Phase::wgrad);
  const bool is_input_pruned = forward != nullptr && forward->tensor == Tensor::activation;
  expect_pruned(own.forward_x, trial.x.detach(), is_input_pruned ? forward : nullptr);
  expect_pruned(own.forward_w, trial.weight.detach(), is_input_pruned ? nullptr : forward);
  const bool is_gradient_pruned = dgrad != nullptr && dgrad->tensor == Tensor::output_gradient;
  expect_pruned(own.dgrad_dy, trial.dy, is_gradient_pruned ? dgrad : nullptr);
  const bool own_rows = !trial.gemm.front().weight_pruner().row_order().empty();
  if (dgrad != nullptr && dgrad->tensor == Tensor::weight && !own_rows) {
    EXPECT_EQ(violations(to_plain(own.dgrad_w), 0, dgrad->pattern), 0);
  } else if (dgrad == nullptr || dgrad->tensor != Tensor::weight) {
    EXPECT_TRUE(own.dgrad_w.equal(own.forward_w));
  }
  const bool is_x = wgrad != nullptr && wgrad->tensor == Tensor::activation;
  expect_pruned_along_tokens(own.wgrad_x, trial.x.detach(), is_x ? wgrad : nullptr);
  expect_pruned_along_tokens(own.wgrad_dy, trial.dy, is_x ? nullptr : wgrad);
}

class ShippedScheme : public testing::TestWithParam<const char*> {
 protected:
  /// The scheme on all layers it could be on.
  static Scheme scheme() {
    Scheme scheme = load_scheme(GetParam());
    scheme.layers = {};
    return scheme;
  }
};

TEST_P(ShippedScheme, ProductsAreThoseOfThePrunedOperands) {
  const auto seed = test::seed_or(1);
  SCOPED_TRACE("STCSIM_SEED=" + std::to_string(seed));
  at::manual_seed(seed);
  for (const Layer& layer : {conv_layer(16, 32, 8, 3, 2, 1), conv_layer(8, 16, 5, 3, 1, 1),
                             linear_layer(16, 24, 8), linear_layer(32, 16, 1)}) {
    if (!find_pruning_fault(scheme(), layer).empty()) continue;
    for (const std::int64_t step : {0, 60, 99}) {  // dense or sparse, as the scheme's shares say
      const Trial trial(layer, scheme(), step);
      expect_patterns(trial, step);
      const Products wanted = plain_products(layer, trial.operands());
      expect_close(as_image(trial.y.detach()), wanted.y, "Y");
      expect_close(as_image(trial.x.grad()), wanted.dx, "dX");
      expect_close(as_filter(trial.weight.grad()), wanted.dw, "dW");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShippedScheme,
                         testing::Values("activations-2-4", "asp", "bdwp", "beyond-2-4", "bi-mask",
                                         "dense", "fst", "mvue-1-2", "mvue-2-4",
                                         "mvue-transposable", "s-ste", "s-ste-fp16", "sdgp",
                                         "slope", "sr-ste", "step", "torchao-activations",
                                         "torchao-semisparse", "transposable", "transposable-2-4"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

/// What brute force keeps of a group: the n largest.
std::set<std::int64_t> largest(const std::vector<float>& group, std::int64_t n) {
  std::set<std::int64_t> kept;
  while (std::ssize(kept) < n) {
    std::int64_t best = -1;
    for (std::int64_t i = 0; i < std::ssize(group); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (kept.contains(i)) continue;
      if (best < 0 || std::abs(group[at]) > std::abs(group[static_cast<std::size_t>(best)]))
        best = i;
    }
    kept.insert(best);
  }
  return kept;
}

TEST(PrunedGradients, OfDgradKeepTheLargestChannelsOfAPixel) {
  at::manual_seed(2);
  Scheme scheme = load_scheme("sdgp");
  scheme.phases[1].sparsity->prune = "magnitude";
  scheme.set_pattern({2, 8});
  const Trial trial(conv_layer(8, 16, 4, 3, 1, 1), scheme, 0);
  const at::Tensor pruned = trial.operands().dgrad_dy;
  for (std::int64_t b = 0; b < 4; ++b) {
    for (std::int64_t pixel = 0; pixel < 16; ++pixel) {
      for (std::int64_t first = 0; first < 16; first += 8) {
        std::vector<float> group;
        for (std::int64_t c = 0; c < 8; ++c) {
          group.push_back(static_cast<float>(at4(trial.dy, b, first + c, pixel / 4, pixel % 4)));
        }
        const std::set<std::int64_t> kept = largest(group, 2);
        for (std::int64_t c = 0; c < 8; ++c) {
          const double wanted = kept.contains(c) ? group[static_cast<std::size_t>(c)] : 0;
          EXPECT_EQ(at4(pruned, b, first + c, pixel / 4, pixel % 4), wanted);
        }
      }
    }
  }
}

TEST(PrunedGradients, OfWgradKeepTheLargestTokensOfAChannel) {
  at::manual_seed(3);
  Scheme scheme = load_scheme("mvue-2-4");
  scheme.phases[2].sparsity->prune = "magnitude";
  const Trial trial(linear_layer(8, 6, 8), scheme, 0);
  const at::Tensor dy = trial.dy.reshape({-1, 6});
  const at::Tensor pruned = trial.operands().wgrad_dy.reshape({-1, 6});
  const auto from = dy.accessor<float, 2>();
  const auto to = pruned.accessor<float, 2>();
  for (std::int64_t c = 0; c < 6; ++c) {
    for (std::int64_t first = 0; first < 32; first += 4) {
      std::vector<float> group;
      for (std::int64_t t = first; t < first + 4; ++t) group.push_back(from[t][c]);
      const std::set<std::int64_t> kept = largest(group, 2);
      for (std::int64_t t = 0; t < 4; ++t) {
        EXPECT_EQ(to[first + t][c], kept.contains(t) ? from[first + t][c] : 0.0F);
      }
    }
  }
}

/// Mean of what wgrad takes over many steps, less dY, in units of what chance makes of it: about 1
/// if the estimate is unbiased.
double relative_error(const char* name, int steps) {
  const Scheme scheme = load_scheme(name);
  const Layer layer = linear_layer(16, 32, 32);
  at::Tensor weight = random_weight(layer).requires_grad_(true);
  const Timeline timeline(scheme, steps, Schedule{}, 300'000);
  GemmLayer gemm(layer, scheme, timeline, 5, weight);
  const at::Tensor dy = at::randn({4, 32, 32});
  at::Tensor sum = at::zeros_like(dy, at::kDouble);
  for (int step = 0; step < steps; ++step) {
    gemm.prepare(step);
    sum += gemm.operand(Phase::wgrad, Tensor::output_gradient, dy);
  }
  const double error = (sum / steps - dy).square().sum().item<double>();
  const pruning::Tensor rows{{128, 32}, to_plain(dy).values};
  const double variance = pruning::mvue_variance(pruning::to_planes(rows, {0, {}}).front(),
                                                 scheme.rule(Phase::wgrad).sparsity->pattern);
  return error / (variance / steps);
}

TEST(PrunedGradients, OfMvueHaveTheMeanOfTheGradientAndTheLeastVariance) {
  at::manual_seed(4);
  for (const char* const name : {"mvue-1-2", "mvue-2-4", "mvue-transposable"}) {
    const double ratio = relative_error(name, 2000);
    EXPECT_GT(ratio, 0.85) << name;
    EXPECT_LT(ratio, 1.15) << name;
  }
}

TEST(PrunedGradients, DifferFromStepToStepAndAreTheSameForTheSameSeed) {
  at::manual_seed(5);
  const Scheme scheme = load_scheme("mvue-2-4");
  const Layer layer = linear_layer(16, 32, 32);
  const at::Tensor weight = random_weight(layer).requires_grad_(true);
  const at::Tensor dy = at::randn({4, 32, 32});
  GemmLayer one(layer, scheme, timeline_of(scheme), 5, weight);
  GemmLayer same(layer, scheme, timeline_of(scheme), 5, weight);
  GemmLayer other(layer, scheme, timeline_of(scheme), 6, weight);
  const auto drawn = [&](GemmLayer& gemm, std::int64_t step) {
    gemm.prepare(step);
    return gemm.operand(Phase::wgrad, Tensor::output_gradient, dy);
  };
  EXPECT_TRUE(drawn(one, 3).equal(drawn(same, 3)));
  EXPECT_FALSE(drawn(one, 3).equal(drawn(one, 4)));
  EXPECT_FALSE(drawn(one, 3).equal(drawn(other, 3)));
}

}  // namespace
}  // namespace stcsim::training
