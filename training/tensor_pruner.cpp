#include "training/tensor_pruner.hpp"

#include <fmt/format.h>

#include "pruning/prune.hpp"

namespace stcsim::training {
namespace {

constexpr std::size_t kChannelAxis = 3;

/// Random numbers of the phases are apart: one gradient may be pruned for two of them.
std::uint64_t seed_for(std::uint64_t seed, Phase phase) {
  return seed * kPhases.size() + static_cast<std::uint64_t>(phase);
}

bool is_plain(const Layer& layer) {
  return layer.kernel_height * layer.kernel_width * layer.stride == 1 && layer.pad == 0;
}

}  // namespace

TensorPruner::TensorPruner(const Scheme& scheme, const Layer& layer, const Timeline& timeline,
                           std::uint64_t seed)
    : timeline_(timeline), seed_(seed) {
  for (const Phase phase : kPhases) {
    if (!stcsim::prunes(scheme, layer, phase)) continue;
    const PhaseSparsity& rule = *scheme.rule(phase).sparsity;
    if (rule.tensor == stcsim::Tensor::weight) continue;
    rules_.at(static_cast<std::size_t>(phase)) = rule;
  }
}

std::string find_pruning_fault(const Scheme& scheme, const Layer& layer) {
  if (!prunes(scheme, layer, Phase::wgrad) || is_plain(layer)) return "";
  if (scheme.rule(Phase::wgrad).sparsity->tensor != stcsim::Tensor::activation) return "";
  return fmt::format(
      "scheme '{}' prunes activations along tokens for wgrad; layer '{}' is a "
      "convolution of several taps, whose wgrad takes each activation more than "
      "once, and is not trained so",
      scheme.name, layer.name);
}

bool TensorPruner::prunes(Phase phase, stcsim::Tensor tensor, std::int64_t step) const {
  const std::optional<PhaseSparsity>& rule = rules_.at(static_cast<std::size_t>(phase));
  return rule && rule->tensor == tensor && timeline_.is_sparse(step);
}

pruning::Tensor TensorPruner::prune(Phase phase, const pruning::Tensor& tensor,
                                    std::int64_t step) const {
  const PhaseSparsity& rule = *rules_.at(static_cast<std::size_t>(phase));
  pruning::PruneOptions options;
  options.pattern = rule.pattern;
  options.seed = seed_for(seed_, phase);
  options.draw = static_cast<std::uint32_t>(step);
  if (phase != Phase::wgrad) {
    options.axis = kChannelAxis;
    return pruning::prune(tensor, rule.prune, options).values;
  }
  const std::int64_t channels = tensor.shape[kChannelAxis];
  const pruning::Tensor rows{{std::ssize(tensor.values) / channels, channels}, tensor.values};
  options.axis = 0;
  return {tensor.shape, pruning::prune(rows, rule.prune, options).values.values};
}

}  // namespace stcsim::training
