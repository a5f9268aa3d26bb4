#pragma once

#include <cstdint>

#include <ATen/ATen.h>

#include "training/operand_pruners.hpp"
#include "training/timeline.hpp"
#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim::training {

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

  /// The operand that a phase's GEMM takes: pruned, or as it is.
  [[nodiscard]] at::Tensor operand(Phase phase, Tensor kind, const at::Tensor& tensor) const;

 private:
  void take_pruned();

  Layer layer_;
  WeightPruner weights_;
  TensorPruner tensors_;
  std::int64_t step_ = 0;
  at::Tensor weight_;
  at::Tensor forward_weight_;
  at::Tensor dgrad_weight_;
  at::Tensor mask_;
  bool keeps_output_gradient_ = false;
  at::Tensor output_gradient_;
};

}  // namespace stcsim::training
