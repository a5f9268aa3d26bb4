#include "training/optimizer.hpp"

#include <cmath>
#include <utility>

#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

namespace stcsim::training {
namespace {

constexpr double kAdamEpsilon = 1e-8;

/// Weights decay, the others do not.
template <class Kind, class Options>
std::unique_ptr<torch::optim::Optimizer> make(const std::vector<at::Tensor>& weights,
                                              const std::vector<at::Tensor>& others,
                                              const Options& options) {
  Options plain = options;
  plain.weight_decay(0);
  const std::vector<torch::optim::OptimizerParamGroup> groups{
      {weights, std::make_unique<Options>(options)}, {others, std::make_unique<Options>(plain)}};
  return std::make_unique<Kind>(groups, options);
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const OptimizerOptions& options,
                                                        const std::vector<at::Tensor>& weights,
                                                        const std::vector<at::Tensor>& others) {
  if (options.kind == OptimizerKind::sgd) {
    return make<torch::optim::SGD>(weights, others,
                                   torch::optim::SGDOptions(options.learning_rate)
                                       .momentum(options.momentum)
                                       .weight_decay(options.weight_decay));
  }
  return make<torch::optim::AdamW>(weights, others,
                                   torch::optim::AdamWOptions(options.learning_rate)
                                       .betas({options.beta1, options.beta2})
                                       .eps(kAdamEpsilon)
                                       .weight_decay(options.weight_decay));
}

}  // namespace

Optimizer::Optimizer(const OptimizerOptions& options, std::vector<at::Tensor> weights,
                     std::vector<at::Tensor> others)
    : options_(options),
      weights_(std::move(weights)),
      others_(std::move(others)),
      optimizer_(make_optimizer(options, weights_, others_)) {}

Optimizer::~Optimizer() = default;

void Optimizer::step(double rate_factor, bool freezes_variance) {
  const double rate = options_.learning_rate * rate_factor;
  if (freezes_variance) return step_frozen(rate);
  set_rate(rate);
  optimizer_->step();
}

void Optimizer::zero_gradients() {
  optimizer_->zero_grad();
}

void Optimizer::set_rate(double rate) {
  for (torch::optim::OptimizerParamGroup& group : optimizer_->param_groups()) {
    if (options_.kind == OptimizerKind::sgd) {
      static_cast<torch::optim::SGDOptions&>(group.options()).lr(rate);
    } else {
      static_cast<torch::optim::AdamWOptions&>(group.options()).lr(rate);
    }
  }
}

Optimizer::Frozen Optimizer::freeze(const at::Tensor& parameter) const {
  const auto found =
      optimizer_->state().find(c10::guts::to_string(parameter.unsafeGetTensorImpl()));
  if (found == optimizer_->state().end()) {  // no step has been made before
    return {at::zeros_like(parameter), at::ones_like(parameter), 0};
  }
  const auto& state = static_cast<const torch::optim::AdamWParamState&>(*found->second);
  const auto steps = static_cast<double>(state.step());
  const double correction = 1 - std::pow(options_.beta2, steps);
  return {state.exp_avg().clone(), (state.exp_avg_sq() / correction).sqrt() + kAdamEpsilon, steps};
}

void Optimizer::step_frozen(double rate) {
  const at::NoGradGuard no_gradients;
  if (frozen_.empty()) {
    for (const at::Tensor& parameter : weights_) frozen_.push_back(freeze(parameter));
    for (const at::Tensor& parameter : others_) frozen_.push_back(freeze(parameter));
  }
  auto state = frozen_.begin();
  for (const at::Tensor& parameter : weights_) {
    change_frozen(parameter, *state++, rate, options_.weight_decay);
  }
  for (const at::Tensor& parameter : others_) change_frozen(parameter, *state++, rate, 0);
}

void Optimizer::change_frozen(const at::Tensor& parameter, Frozen& state, double rate,
                              double decay) const {
  if (!parameter.grad().defined()) return;
  state.steps += 1;
  state.momentum.mul_(options_.beta1).add_(parameter.grad(), 1 - options_.beta1);
  const double correction = 1 - std::pow(options_.beta1, state.steps);
  parameter.mul_(1 - rate * decay);
  parameter.addcdiv_(state.momentum, state.denominator, -rate / correction);
}

}  // namespace stcsim::training
