#pragma once

#include <ATen/ATen.h>

#include "pruning/matrix.hpp"
#include "workloads/layer.hpp"

namespace stcsim::training {

/// The three GEMMs of a conv or linear, each of whatever operands it is given. Activations of a
/// conv are samples x channels x height x width, of a linear (anything) x channels; weights are
/// C_out x C_in per group x kernel height x kernel width of a conv, C_out x C_in of a linear.

/// Y = W X
[[nodiscard]] at::Tensor forward_product(const Layer& layer, const at::Tensor& x,
                                         const at::Tensor& weight);
/// dX = W^T dY
/// @param like of the shape of dX
[[nodiscard]] at::Tensor dgrad_product(const Layer& layer, const at::Tensor& dy,
                                       const at::Tensor& weight, const at::Tensor& like);
/// dW = dY X^T
/// @param like of the shape of dW
[[nodiscard]] at::Tensor wgrad_product(const Layer& layer, const at::Tensor& dy,
                                       const at::Tensor& x, const at::Tensor& like);

/// As pruning sees them: activations samples x height x width x channels (of a linear: samples x
/// tokens x 1 x channels), weights C_out x kernel height x kernel width x C_in.
[[nodiscard]] pruning::Tensor to_plain(const at::Tensor& tensor);
/// The inverse, for a tensor of the shape of `like`.
[[nodiscard]] at::Tensor from_plain(const pruning::Tensor& plain, const at::Tensor& like);

}  // namespace stcsim::training
