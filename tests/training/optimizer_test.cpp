#include "training/optimizer.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace stcsim::training {
namespace {

/// A parameter with a gradient of its own choice.
at::Tensor parameter(double value) {
  return at::full({1}, value).requires_grad_(true);
}

void set_gradient(const at::Tensor& tensor, double gradient) {
  tensor.mutable_grad() = at::full({1}, gradient);
}

TEST(Optimizer, SgdHasMomentumAndDecaysWeightsOnly) {
  OptimizerOptions options;
  options.learning_rate = 0.5;
  options.weight_decay = 0.1;
  const at::Tensor weight = parameter(2);
  const at::Tensor other = parameter(2);
  Optimizer optimizer(options, {weight}, {other});
  double w = 2;
  double o = 2;
  double weight_velocity = 0;
  double other_velocity = 0;
  for (const double gradient : {1.0, -0.5, 0.25}) {
    set_gradient(weight, gradient);
    set_gradient(other, gradient);
    optimizer.step(0.5, false);
    weight_velocity = 0.9 * weight_velocity + gradient + 0.1 * w;
    other_velocity = 0.9 * other_velocity + gradient;
    w -= 0.25 * weight_velocity;
    o -= 0.25 * other_velocity;
    EXPECT_NEAR(weight.item<double>(), w, 1e-6);
    EXPECT_NEAR(other.item<double>(), o, 1e-6);
  }
}

TEST(Optimizer, AdamGoesOnWithTheVarianceItHadWhenFrozen) {
  OptimizerOptions options;
  options.kind = OptimizerKind::adamw;
  options.learning_rate = 0.1;
  options.weight_decay = 0.01;
  const at::Tensor weight = parameter(1);
  Optimizer optimizer(options, {weight}, {});
  double w = 1;
  double m = 0;
  double v = 0;
  double frozen = 0;
  const std::vector<double> gradients{0.3, -0.2, 0.5, 4.0, -3.0, 2.0};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const bool freezes = i >= 3;
    set_gradient(weight, gradients[i]);
    optimizer.step(1, freezes);
    const auto steps = static_cast<double>(i + 1);
    m = options.beta1 * m + (1 - options.beta1) * gradients[i];
    if (!freezes) {
      v = options.beta2 * v + (1 - options.beta2) * gradients[i] * gradients[i];
      frozen = v / (1 - std::pow(options.beta2, steps));
    }
    w *= 1 - 0.1 * 0.01;
    w -= 0.1 * m / (1 - std::pow(options.beta1, steps)) / (std::sqrt(frozen) + 1e-8);
    EXPECT_NEAR(weight.item<double>(), w, 2e-6) << "step " << i;
  }
}

}  // namespace
}  // namespace stcsim::training
