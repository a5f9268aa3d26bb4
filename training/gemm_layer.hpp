#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <ATen/ATen.h>

#include "common/data_type.hpp"
#include "pruning/matrix.hpp"
#include "training/operand_pruners.hpp"
#include "training/timeline.hpp"
#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

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

/// A conv or linear whose three GEMMs take the operands that a scheme prunes. Gradients go straight
/// through pruning: that of the weights is the one of the pruned weights.
class GemmLayer {
 public:
  /// @param weight the dense weights, a leaf that requires its gradient
  /// @param seed keys the random numbers of this layer in this run
  GemmLayer(const Layer& layer, const Scheme& scheme, const Timeline& timeline, std::uint64_t seed,
            at::Tensor weight);

  /// Prunes the weights for a training step; to be called before forward().
  void prepare(std::int64_t step);
  /// The same to evaluate what step `step` has made of them.
  void refresh(std::int64_t step);
  [[nodiscard]] at::Tensor forward(const at::Tensor& x);
  /// From now on, each phase multiplies operands in the 8-bit type that the scheme names for it.
  void cast_products(const Scheme& scheme);
  /// From now on, remembers what backward gets: see output_gradient().
  void keep_output_gradient() { keeps_output_gradient_ = true; }

  [[nodiscard]] const Layer& layer() const { return layer_; }
  [[nodiscard]] const at::Tensor& weight() const { return weight_; }
  [[nodiscard]] const at::Tensor& forward_weight() const { return forward_weight_; }
  [[nodiscard]] const at::Tensor& dgrad_weight() const { return dgrad_weight_; }
  /// 1 where forward keeps the weight, else 0; undefined if forward prunes no weights now.
  [[nodiscard]] const at::Tensor& mask() const { return mask_; }
  /// dY of the last backward pass, before anything is pruned, of the shape of Y; undefined if none
  /// was to be kept.
  [[nodiscard]] const at::Tensor& output_gradient() const { return output_gradient_; }
  [[nodiscard]] const WeightPruner& weight_pruner() const { return weights_; }

  /// As a phase's type has it (casts.hpp), if products are cast and the step is none of dense ones.
  [[nodiscard]] at::Tensor as_cast(Phase phase, const at::Tensor& tensor) const;
  /// The operand that a phase's GEMM takes: pruned, or as it is; then cast.
  [[nodiscard]] at::Tensor operand(Phase phase, Tensor kind, const at::Tensor& tensor) const;

 private:
  void take_pruned();

  Layer layer_;
  WeightPruner weights_;
  TensorPruner tensors_;
  std::array<std::optional<DataType>, 3> types_;  // indexed by Phase
  std::int64_t step_ = 0;
  at::Tensor weight_;
  at::Tensor forward_weight_;
  at::Tensor dgrad_weight_;
  at::Tensor mask_;
  bool keeps_output_gradient_ = false;
  at::Tensor output_gradient_;
};

}  // namespace stcsim::training
