#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pruning/matrix.hpp"
#include "training/timeline.hpp"
#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim::training {

/// Prunes the activations of one layer, or the gradients of its output, as its scheme says. Both
/// are tensors samples x height x width x channels (of tokens: samples x tokens x 1 x channels).
class TensorPruner {
 public:
  TensorPruner(const Scheme& scheme, const Layer& layer, const Timeline& timeline,
               std::uint64_t seed);

  /// Whether the scheme is what it says in this step, rather than dense.
  [[nodiscard]] bool is_sparse(std::int64_t step) const { return timeline_.is_sparse(step); }
  /// Whether the phase multiplies by a pruned `tensor` in this step.
  [[nodiscard]] bool prunes(Phase phase, stcsim::Tensor tensor, std::int64_t step) const;
  /// The operand it multiplies by: groups along the channels of a pixel in forward and dgrad, along
  /// the pixels or tokens of all samples in their order in wgrad.
  [[nodiscard]] pruning::Tensor prune(Phase phase, const pruning::Tensor& tensor,
                                      std::int64_t step) const;

 private:
  std::array<std::optional<PhaseSparsity>, 3> rules_;  // indexed by Phase
  Timeline timeline_;
  std::uint64_t seed_;
};

/// Why the scheme's operands of a layer cannot be trained with, as a sentence; "" if they can.
[[nodiscard]] std::string find_pruning_fault(const Scheme& scheme, const Layer& layer);

/// Prunes the weights of one layer as its scheme says. Weights are tensors C_out x kernel height x
/// kernel width x C_in per group.
class WeightPruner {
 public:
  /// @param seed keys the random numbers of this layer
  WeightPruner(const Scheme& scheme, const Layer& layer, const Timeline& timeline,
               std::uint64_t seed);

  /// Whether the weights are pruned in any phase of this layer.
  [[nodiscard]] bool prunes() const { return forward_ || dgrad_; }

  /// Prunes for training step `step`, choosing masks anew where they are due.
  void prepare(const pruning::Tensor& weights, std::int64_t step);
  /// The same with the masks there are: of weights that a step has changed, to evaluate them.
  void refresh(const pruning::Tensor& weights, std::int64_t step);

  /// The operands that forward and dgrad multiply by, as of the last prepare() or refresh().
  [[nodiscard]] const pruning::Tensor& for_forward() const { return forward_operand_; }
  [[nodiscard]] const pruning::Tensor& for_dgrad() const { return dgrad_operand_; }
  /// A number for every weight, 0 where forward prunes it. Empty if it prunes none now.
  [[nodiscard]] const std::vector<float>& mask() const { return mask_; }
  /// Rows of Bi-Mask's second pruning, in the order they are grouped in; empty for others.
  [[nodiscard]] const std::vector<std::int64_t>& row_order() const { return order_; }

 private:
  struct Mask {
    std::vector<float> kept;  // 1 or 0; empty: none has been chosen
  };

  void prune(const pruning::Tensor& weights, std::int64_t step, bool training);
  void prune_groups(const pruning::Tensor& weights, std::int64_t step, bool training);
  void prune_twice(const pruning::Tensor& weights, std::int64_t step, bool training);
  void search_order(const pruning::Tensor& weights, std::int64_t step, bool training);
  /// The function of a rule, with a mask that stays for its period.
  pruning::Tensor pruned(const pruning::Tensor& weights, const PhaseSparsity& rule,
                         std::size_t axis, Mask& mask, std::int64_t step, bool training);
  pruning::Tensor call(const pruning::Tensor& weights, const PhaseSparsity& rule, std::size_t axis,
                       std::int64_t step);
  [[nodiscard]] bool is_due(std::int64_t period, std::int64_t step) const;

  Timeline timeline_;
  SchemeTraining training_;
  std::uint64_t seed_;
  std::optional<PhaseSparsity> forward_;
  std::optional<PhaseSparsity> dgrad_;
  Mask forward_mask_;
  Mask dgrad_mask_;
  std::vector<float> mask_;
  std::vector<std::int64_t> order_;
  std::optional<double> scale_;
  pruning::Tensor forward_operand_;
  pruning::Tensor dgrad_operand_;
};

}  // namespace stcsim::training
