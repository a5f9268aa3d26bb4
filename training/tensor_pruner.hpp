#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

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

  /// Whether the phase multiplies by a pruned `tensor` in this step.
  [[nodiscard]] bool prunes(Phase phase, stcsim::Tensor tensor, std::int64_t step) const;
  /// What it multiplies by: groups along the channels of a pixel in forward and dgrad, along the
  /// pixels or tokens of all samples in their order in wgrad.
  [[nodiscard]] pruning::Tensor prune(Phase phase, const pruning::Tensor& tensor,
                                      std::int64_t step) const;

 private:
  std::array<std::optional<PhaseSparsity>, 3> rules_;  // indexed by Phase
  Timeline timeline_;
  std::uint64_t seed_;
};

/// Why the scheme's operands of a layer cannot be trained with, as a sentence; "" if they can.
[[nodiscard]] std::string find_pruning_fault(const Scheme& scheme, const Layer& layer);

}  // namespace stcsim::training
