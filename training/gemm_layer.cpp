#include "training/gemm_layer.hpp"

#include <utility>

#include <torch/csrc/autograd/custom_function.h>

#include "training/products.hpp"

namespace stcsim::training {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Y = W X; backward dX = W^T dY and dW = dY X^T, each of the operands that the scheme's file names
/// for its phase.
struct PrunedProducts : torch::autograd::Function<PrunedProducts> {
  /// @param weight stands for the dense weights, which its gradient is for
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const GemmLayer* gemm) {
    context->saved_data["layer"] = reinterpret_cast<std::int64_t>(gemm);
    context->save_for_backward({x, weight, gemm->dgrad_weight()});
    return forward_product(gemm->layer(), gemm->operand(Phase::forward, Tensor::activation, x),
                           gemm->forward_weight());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto* const gemm =
        reinterpret_cast<const GemmLayer*>(context->saved_data["layer"].toInt());
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& dy = gradients[0];
    at::Tensor dx;
    if (context->needs_input_grad(0)) {
      dx = dgrad_product(gemm->layer(), gemm->operand(Phase::dgrad, Tensor::output_gradient, dy),
                         saved[2], x);
    }
    const at::Tensor dw =
        wgrad_product(gemm->layer(), gemm->operand(Phase::wgrad, Tensor::output_gradient, dy),
                      gemm->operand(Phase::wgrad, Tensor::activation, x), saved[1]);
    return {dx, dw, at::Tensor()};
  }
};

}  // namespace

GemmLayer::GemmLayer(const Layer& layer, const Scheme& scheme, const Timeline& timeline,
                     std::uint64_t seed, at::Tensor weight)
    : layer_(layer),
      weights_(scheme, layer, timeline, seed),
      tensors_(scheme, layer, timeline, seed),
      weight_(std::move(weight)),
      forward_weight_(weight_.detach()),
      dgrad_weight_(forward_weight_) {}

void GemmLayer::prepare(std::int64_t step) {
  step_ = step;
  if (!weights_.prunes()) return;
  weights_.prepare(to_plain(weight_.detach()), step);
  take_pruned();
}

void GemmLayer::refresh(std::int64_t step) {
  step_ = step;
  if (!weights_.prunes()) return;
  weights_.refresh(to_plain(weight_.detach()), step);
  take_pruned();
}

void GemmLayer::take_pruned() {
  const at::Tensor like = weight_.detach();
  forward_weight_ = from_plain(weights_.for_forward(), like);
  dgrad_weight_ = from_plain(weights_.for_dgrad(), like);
  mask_ = at::Tensor();
  if (weights_.mask().empty()) return;
  mask_ = from_plain({weights_.for_forward().shape, weights_.mask()}, like);
}

at::Tensor GemmLayer::forward(const at::Tensor& x) {
  at::Tensor y = PrunedProducts::apply(x, weight_, this);
  if (keeps_output_gradient_ && y.requires_grad()) {
    y.register_hook([this](const at::Tensor& dy) { output_gradient_ = dy.detach(); });
  }
  return y;
}

at::Tensor GemmLayer::operand(Phase phase, Tensor kind, const at::Tensor& tensor) const {
  if (!tensors_.prunes(phase, kind, step_)) return tensor;
  return from_plain(tensors_.prune(phase, to_plain(tensor), step_), tensor);
}

}  // namespace stcsim::training
